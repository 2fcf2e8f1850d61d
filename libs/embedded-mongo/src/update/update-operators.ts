import { add } from "../values/arithmetic.ts";
import { isSameValue, getSetKey } from "../values/key-encoding.ts";
import { notImplemented, serverError } from "../errors.ts";
import { parseElement, parseFilter } from "../query/filter.ts";
import { compileFilter } from "../query/matcher.ts";
import { remove, type Change } from "./update-path.ts";
import { getField, isDocument, getKind, toText } from "../values/values.ts";

/** The update operators, with the functions that parse their operands for a path. */
const operators: { readonly [name: string]: (operand: unknown, path: string) => Change } = {
  $set: (operand) => () => operand,
  $setOnInsert: (operand) => () => operand,
  $unset: () => remove,
  $inc: increment,
  $push(operand, path) {
    const each = toOperands(operand);
    return changeArray(path, (elements) => [...elements, ...each]);
  },
  $addToSet(operand, path) {
    const each = toOperands(operand);
    return changeArray(path, (elements) => {
      const known = new Set(elements.map(getSetKey));
      return [...elements, ...each.filter((value) => known.size < known.add(getSetKey(value)).size)];
    });
  },
  $pull(operand, path) {
    const isUnwanted = createPullTest(operand);
    const change = changeArray(path, (elements) => elements.filter((element) => !isUnwanted(element)));
    return (value) => (value === undefined ? undefined : change(value));
  },
};

/** The update operators that the server supports. */
export const updateOperators: readonly string[] = Object.keys(operators);

/** The modifiers of `$push` and `$addToSet` that the server supports. */
export const arrayModifiers: readonly string[] = ["$each"];

/** Parses the operand that an update operator has for a path. Rejects unsupported operators. */
export function parseChange(operator: string, operand: unknown, path: string): Change {
  const read = getField(operators, operator);
  if (read === undefined) throw notImplemented(`the update operator ${operator}`);
  return read(operand, path);
}

function increment(operand: unknown, path: string): Change {
  if (getKind(operand) !== "number") {
    throw serverError("TypeMismatch", `Cannot increment with non-numeric argument: ${toText(operand)}`);
  }
  return (value) => {
    if (value === undefined) return operand;
    if (getKind(value) === "number") return add(value, operand);
    throw serverError(
      "TypeMismatch",
      `Cannot apply $inc to a value of non-numeric type: '${path}' is ${toText(value)}`,
    );
  };
}

/** Creates a change of the elements of an array. A missing array is treated as empty. */
function changeArray(path: string, change: (elements: readonly unknown[]) => unknown[]): Change {
  return (value = []) => {
    if (Array.isArray(value)) return change(value);
    throw serverError("BadValue", `The field '${path}' must be an array but is ${toText(value)}`);
  };
}

/** Returns the values to add: those of `$each`, or the operand itself. */
function toOperands(operand: unknown): readonly unknown[] {
  if (!isDocument(operand) || !("$each" in operand)) return [operand];
  const { $each, ...modifiers } = operand;
  const [modifier] = Object.keys(modifiers);
  if (modifier !== undefined) throw notImplemented(`${modifier} next to $each`);
  if (Array.isArray($each)) return $each;
  throw serverError("BadValue", "The argument to $each must be an array");
}

function createPullTest(operand: unknown): (element: unknown) => boolean {
  if (!isDocument(operand)) return (element) => isSameValue(element, operand);
  if (Object.keys(operand)[0] === "$not") throw serverError("BadValue", "unknown top level operator: $not");
  const { part, ofDocuments } = parseElement(operand);
  // Conditions on an element are also satisfied by its own elements, as for a field.
  const matches = compileFilter(ofDocuments ? part : parseFilter({ element: operand }));
  return (element) => (ofDocuments ? isDocument(element) && matches(element) : matches({ element }));
}
