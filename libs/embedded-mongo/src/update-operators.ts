import { Buffer } from "node:buffer";
import { add } from "./arithmetic.ts";
import { compareValues, sameValue } from "./key-encoding.ts";
import { notImplemented, serverError } from "./errors.ts";
import { parseElement, refusePattern } from "./filter.ts";
import { compileFilter } from "./matcher.ts";
import { parseFields } from "./index-definition.ts";
import { sortKeyOf } from "./index-keys.ts";
import { removal, type Mode } from "./update-path.ts";
import { copyOf, isDocument, kindOf, textOf, typeName, wholeNumber, type Document } from "./values.ts";

/** How an operator makes the new value at a path of the old one, which is undefined when there is none. */
export type Apply = (value: unknown, path: string) => unknown;

const operators: { readonly [name: string]: (operand: unknown) => Apply } = {
  $set: (operand) => () => copyOf(operand),
  $setOnInsert: (operand) => () => copyOf(operand),
  $unset: () => () => removal,
  $inc: increment,
  $min: (operand) => (value) => (value === undefined || compareValues(operand, value) < 0 ? operand : value),
  $max: (operand) => (value) => (value === undefined || compareValues(operand, value) > 0 ? operand : value),
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
};

const modes: { readonly [name: string]: Mode } = { $unset: "skip", $pull: "strict", $setOnInsert: "insert" };

/** Reads the operand of an update operator; refuses operators and modifiers that this server has not. */
export function parseChange(operator: string, operand: unknown): { readonly mode: Mode; readonly apply: Apply } {
  const read = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (read === undefined) throw notImplemented(`the update operator ${operator}`);
  return { mode: modes[operator] ?? "create", apply: read(operand) };
}

function increment(operand: unknown): Apply {
  if (kindOf(operand) !== "number") {
    throw serverError("TypeMismatch", `Cannot increment with non-numeric argument: ${textOf(operand)}`);
  }
  return (value, path) => {
    if (value === undefined) return operand;
    if (kindOf(value) === "number") {
      const sum = add(value, operand);
      // What is the same afterwards is not written, so that -0 stays what it is.
      return sameValue(sum, value) && typeName(sum) === typeName(value) ? value : sum;
    }
    const what = `a value of non-numeric type. The field '${path}' has the type ${typeName(value)}`;
    throw serverError("TypeMismatch", `Cannot apply $inc to ${what}`);
  };
}

/** A change of an array's elements: a missing array counts as an empty one. */
function ofArray(operator: string, change: (elements: unknown[]) => unknown[]): Apply {
  return (value, path) => {
    if (value === undefined) return change([]);
    if (Array.isArray(value)) return change([...(value as unknown[])]);
    const what = `must be an array but is of type ${typeName(value)}`;
    throw serverError("BadValue", `The field '${path}' ${what} (${operator})`);
  };
}

function eachOf(operator: string, operand: unknown, modifiers: readonly string[]): readonly unknown[] {
  if (!isDocument(operand) || !("$each" in operand)) return [operand];
  const unknown = Object.keys(operand).find((name) => name !== "$each" && !modifiers.includes(name));
  if (unknown !== undefined) throw serverError("BadValue", `Unrecognized clause in ${operator}: ${unknown}`);
  if (Array.isArray(operand["$each"])) return operand["$each"];
  const code = operator === "$push" ? "BadValue" : "TypeMismatch";
  throw serverError(code, `The argument to $each in ${operator} must be an array`);
}

function push(operand: unknown): Apply {
  const each = eachOf("$push", operand, ["$position", "$slice", "$sort"]);
  const { $position, $slice, $sort } = (each[0] === operand ? {} : operand) as Document;
  const position = $position === undefined ? undefined : wholeNumber($position, "$position", "BadValue");
  const slice = $slice === undefined ? undefined : wholeNumber($slice, "$slice", "BadValue");
  const order = $sort === undefined ? undefined : elementOrder($sort);
  return ofArray("$push", (elements) => {
    const place = position ?? elements.length;
    const all = [...elements.slice(0, place), ...each.map(copyOf), ...elements.slice(place)];
    if (order !== undefined) all.sort(order);
    if (slice === undefined) return all;
    return slice < 0 ? all.slice(slice) : all.slice(0, slice);
  });
}

function elementOrder(sort: unknown): (left: unknown, right: unknown) => number {
  if (!isDocument(sort)) {
    const direction = wholeNumber(sort, "$sort", "BadValue");
    if (direction !== 1 && direction !== -1) throw serverError("BadValue", "The $sort element value must be 1 or -1");
    return (left, right) => compareValues(left, right) * direction;
  }
  const fields = parseFields("a sort", sort);
  if (fields.length === 0) throw serverError("BadValue", "The sort pattern is empty when it should be a set of fields");
  const keyOf = (element: unknown): Buffer => sortKeyOf(fields, isDocument(element) ? element : {});
  return (left, right) => Buffer.compare(keyOf(left), keyOf(right));
}

function addToSet(operand: unknown): Apply {
  const each = eachOf("$addToSet", operand, []);
  return ofArray("$addToSet", (elements) => {
    for (const value of each) if (!elements.some((element) => sameValue(element, value))) elements.push(copyOf(value));
    return elements;
  });
}

function pull(operand: unknown): Apply {
  const isUnwanted = unwanted(operand);
  const change = ofArray("$pull", (elements) => elements.filter((element) => !isUnwanted(element)));
  return (value, path) => (value === undefined ? removal : change(value, path));
}

function unwanted(operand: unknown): (element: unknown) => boolean {
  refusePattern(operand);
  if (!isDocument(operand)) return (element) => sameValue(element, operand);
  if (Object.keys(operand)[0] === "$not") throw serverError("BadValue", "unknown top level operator: $not");
  const { part, ofDocuments } = parseElement(operand);
  const matches = compileFilter(part);
  return (element) => (isDocument(element) || !ofDocuments) && matches(element);
}
