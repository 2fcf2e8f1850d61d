import { Buffer } from "node:buffer";
import { Int32, Timestamp } from "bson";
import { calculate } from "./arithmetic.ts";
import { compareValues, sameValue } from "./key-encoding.ts";
import { notImplemented, serverError } from "./errors.ts";
import { isOperators, parseFilter, parseOperators } from "./filter.ts";
import { compileFilter } from "./matcher.ts";
import { parseSort, sortKeyOf } from "./sorting.ts";
import { removal, type Mode } from "./update-path.ts";
import { copyOf, isDocument, kindOf, textOf, typeName, wholeNumber } from "./values.ts";

/** One operator of an update on one path: how it makes the new value of the old one. */
export interface Change {
  readonly mode: Mode;
  /** Only when the update inserts. */
  readonly onInsert: boolean;
  readonly apply: (value: unknown, path: string) => unknown;
}

/** Reads the operand of an update operator other than `$rename`; refuses unknown operators and modifiers. */
export function parseChange(operator: string, operand: unknown, now: Date): Change {
  const changing = (apply: Change["apply"], mode: Mode = "create"): Change => ({ mode, onInsert: false, apply });
  switch (operator) {
    case "$set":
      return changing(() => copyOf(operand));
    case "$setOnInsert":
      return { mode: "create", onInsert: true, apply: () => copyOf(operand) };
    case "$unset":
      return changing(() => removal, "skip");
    case "$inc":
    case "$mul":
      return changing(arithmetic(operator, operand));
    case "$min":
      return changing((value) => (value === undefined || compareValues(operand, value) < 0 ? operand : value));
    case "$max":
      return changing((value) => (value === undefined || compareValues(operand, value) > 0 ? operand : value));
    case "$currentDate":
      return changing(currentDate(operand, now));
    case "$push":
      return changing(push(operand));
    case "$addToSet":
      return changing(addToSet(operand));
    case "$pop":
      return changing(pop(operand), "strict");
    case "$pull":
      return changing(pull(operand), "strict");
    case "$pullAll": {
      if (!Array.isArray(operand)) throw serverError("BadValue", "$pullAll requires an array argument");
      return changing(
        without(operator, (element) => operand.some((each: unknown) => sameValue(each, element))),
        "strict",
      );
    }
    default:
      throw notImplemented(`the update operator ${operator}`);
  }
}

function arithmetic(operator: string, operand: unknown): Change["apply"] {
  if (kindOf(operand) !== "number") {
    throw serverError("TypeMismatch", `Cannot ${operator} with non-numeric argument: ${textOf(operand)}`);
  }
  return (value, path) => {
    if (value === undefined) return operator === "$inc" ? operand : calculate("multiply", operand, new Int32(0));
    if (kindOf(value) !== "number") {
      throw serverError(
        "TypeMismatch",
        `Cannot apply ${operator} to a value of non-numeric type. The field '${path}' has the type ${typeName(value)}`,
      );
    }
    return calculate(operator === "$inc" ? "add" : "multiply", value, operand);
  };
}

function currentDate(operand: unknown, now: Date): Change["apply"] {
  const type = isDocument(operand) ? operand["$type"] : operand === true ? "date" : undefined;
  if (type === "date") return () => now;
  if (type === "timestamp") return () => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 });
  throw serverError("BadValue", "$currentDate needs true or { $type: 'date' | 'timestamp' }");
}

function arrayIn(operator: string, value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return [...(value as unknown[])];
  throw serverError("BadValue", `The field '${path}' must be an array but is of type ${typeName(value)} (${operator})`);
}

function eachOf(operator: string, operand: unknown, modifiers: readonly string[]): unknown[] | undefined {
  if (!isDocument(operand) || !("$each" in operand)) return undefined;
  const unknown = Object.keys(operand).find((name) => name !== "$each" && !modifiers.includes(name));
  if (unknown !== undefined) throw serverError("BadValue", `Unrecognized clause in ${operator}: ${unknown}`);
  if (!Array.isArray(operand["$each"]))
    throw serverError("BadValue", `The argument to $each in ${operator} must be an array`);
  return operand["$each"] as unknown[];
}

function push(operand: unknown): Change["apply"] {
  const each = eachOf("$push", operand, ["$position", "$slice", "$sort"]);
  if (each === undefined) {
    return (value, path) => [...(value === undefined ? [] : arrayIn("$push", value, path)), copyOf(operand)];
  }
  const { $position, $slice, $sort } = operand as { [name: string]: unknown };
  const position = $position === undefined ? undefined : wholeNumber($position, "$position");
  const slice = $slice === undefined ? undefined : wholeNumber($slice, "$slice");
  const order = $sort === undefined ? undefined : elementOrder($sort);
  return (value, path) => {
    const array = value === undefined ? [] : arrayIn("$push", value, path);
    array.splice(position ?? array.length, 0, ...each.map(copyOf));
    if (order !== undefined) array.sort(order);
    if (slice === undefined) return array;
    return slice < 0 ? array.slice(slice) : array.slice(0, slice);
  };
}

function elementOrder(sort: unknown): (left: unknown, right: unknown) => number {
  if (!isDocument(sort)) {
    const direction = wholeNumber(sort, "$sort");
    if (direction !== 1 && direction !== -1) throw serverError("BadValue", "The $sort element value must be 1 or -1");
    return (left, right) => compareValues(left, right) * direction;
  }
  const fields = parseSort(sort);
  const keyOf = (element: unknown): Buffer => sortKeyOf(fields, isDocument(element) ? element : {});
  return (left, right) => Buffer.compare(keyOf(left), keyOf(right));
}

function addToSet(operand: unknown): Change["apply"] {
  const values = eachOf("$addToSet", operand, []) ?? [operand];
  return (value, path) => {
    const array = value === undefined ? [] : arrayIn("$addToSet", value, path);
    const length = array.length;
    for (const each of values) if (!array.some((element) => sameValue(element, each))) array.push(copyOf(each));
    return value !== undefined && array.length === length ? value : array;
  };
}

function pop(operand: unknown): Change["apply"] {
  const end = wholeNumber(operand, "$pop");
  if (end !== 1 && end !== -1) throw serverError("FailedToParse", "$pop expects 1 or -1");
  return (value, path) => {
    if (value === undefined) return removal;
    if (!Array.isArray(value))
      throw serverError("TypeMismatch", `Path '${path}' contains an element of non-array type`);
    return (value as unknown[]).slice(end === 1 ? 0 : 1, end === 1 ? -1 : undefined);
  };
}

function pull(operand: unknown): Change["apply"] {
  if (isOperators(operand)) {
    if (Object.keys(operand)[0] === "$not") throw serverError("BadValue", "unknown top level operator: $not");
    const matches = compileFilter(parseOperators([], operand));
    return without("$pull", (element) => matches(element));
  }
  if (kindOf(operand) === "regex") {
    const matches = compileFilter(parseOperators([], { $regex: operand }));
    return without("$pull", (element) => matches(element));
  }
  if (isDocument(operand)) {
    const matches = compileFilter(parseFilter(operand));
    return without("$pull", (element) => isDocument(element) && matches(element));
  }
  return without("$pull", (element) => sameValue(element, operand));
}

function without(operator: string, unwanted: (element: unknown) => boolean): Change["apply"] {
  return (value) => {
    if (value === undefined) return removal;
    if (!Array.isArray(value)) throw serverError("BadValue", `Cannot apply ${operator} to a non-array value`);
    const kept = value.filter((element) => !unwanted(element));
    return kept.length === value.length ? (value as unknown) : kept;
  };
}
