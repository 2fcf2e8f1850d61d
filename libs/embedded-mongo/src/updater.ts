import { ObjectId } from "bson";
import { sameValue } from "./key-encoding.ts";
import { notImplemented, serverError, type CodeName } from "./errors.ts";
import { parseFilter, type Filter, type Path } from "./filter.ts";
import { compileFilter, type Matcher } from "./matcher.ts";
import { parseChange, type Apply } from "./update-operators.ts";
import { changeAt, concretePaths, type Mode, type Positions } from "./update-path.ts";
import { copyOf, fieldOf, isDocument, type Document } from "./values.ts";

/** An update that was read and checked. Both functions return a new document and leave their argument alone. */
export interface Update {
  readonly isReplacement: boolean;
  /** Applies the update to a stored document; `matched` is the place for `$`. */
  readonly apply: (document: Document, matched: number | undefined) => Document;
  /** Makes the document that an upsert inserts for a query. */
  readonly insert: (query: Filter) => Document;
}

interface Step {
  readonly path: Path;
  readonly mode: Mode;
  readonly apply: Apply;
}

/** Reads the `u` (or `update`) of a command together with its `arrayFilters`. */
export function parseUpdate(update: unknown, arrayFilters: unknown): Update {
  if (Array.isArray(update)) throw notImplemented("an update with an aggregation pipeline");
  if (!isDocument(update)) throw serverError("FailedToParse", "an update must be a document");
  if (Object.keys(update)[0]?.startsWith("$") !== true) {
    if (arrayFilters !== undefined) throw serverError("FailedToParse", "Cannot use array filters with a replacement");
    return replacement(update);
  }
  const filters = parseArrayFilters(arrayFilters);
  const steps = parseSteps(update, filters);
  const unused = [...filters.keys()].find((name) => !steps.some(({ path }) => path.includes(`$[${name}]`)));
  if (unused !== undefined) {
    throw serverError("FailedToParse", `The array filter for identifier '${unused}' was not used in the update`);
  }
  return {
    isReplacement: false,
    apply: (document, matched) => applySteps(document, steps, { matched, arrayFilters: filters }, false),
    insert: (query) => withId(applySteps(documentOfQuery(query), steps, { arrayFilters: filters }, true)),
  };
}

function replacement(update: Document): Update {
  const wrong = Object.keys(update).find((name) => name.startsWith("$"));
  if (wrong !== undefined) {
    throw serverError("DollarPrefixedFieldName", `The dollar ($) prefixed field '${wrong}' cannot be in a replacement`);
  }
  const replace = (id: unknown): Document => {
    const made = { ...(id === undefined ? {} : { _id: id }), ...copyOf(update) };
    if (id !== undefined && !sameValue(made["_id"], id)) throw immutableId();
    return withId(made);
  };
  return {
    isReplacement: true,
    apply: (document) => replace(fieldOf(document, "_id")),
    insert: (query) => replace(equalitiesOf(query).find(({ path }) => path.join(".") === "_id")?.value),
  };
}

function parseSteps(update: Document, filters: ReadonlyMap<string, Matcher>): Step[] {
  const steps = Object.keys(update).flatMap((operator) => {
    const operands = update[operator];
    if (!operator.startsWith("$")) {
      throw serverError("FailedToParse", `Unknown modifier: ${operator}. Expected a valid update modifier`);
    }
    if (!isDocument(operands)) {
      throw serverError("FailedToParse", `Modifiers operate on fields but we found another type for ${operator}`);
    }
    return Object.keys(operands).map((name) => ({
      ...parseChange(operator, operands[name]),
      path: checkedPath(name, filters),
    }));
  });
  return inOrder(steps);
}

function checkedPath(name: string, filters: ReadonlyMap<string, Matcher>): Path {
  const path = name.split(".");
  if (path.includes("")) {
    throw serverError("EmptyFieldName", `The update path '${name}' contains an empty field name, which is not allowed`);
  }
  for (const [at, part] of path.entries()) {
    const [isPlaces, identifier] = /^\$(?:\[(.*)\])?$/.exec(part) ?? [];
    if (part.startsWith("$") && (at === 0 || isPlaces === undefined)) {
      throw serverError("DollarPrefixedFieldName", `The dollar ($) prefixed field '${part}' in '${name}' is not valid`);
    }
    if (part === "$" && path.indexOf("$") < at) {
      throw serverError("BadValue", `Too many positional (i.e. '$') elements found in path '${name}'`);
    }
    if (identifier !== undefined && identifier !== "" && !filters.has(identifier)) {
      throw serverError("BadValue", `No array filter found for identifier '${identifier}' in path '${name}'`);
    }
  }
  return path;
}

/** Sorts as MongoDB adds fields: by name, places in arrays by number. Refuses paths that lie within each other. */
function inOrder<T extends { readonly path: Path }>(
  steps: readonly T[],
  codeName: CodeName = "ConflictingUpdateOperators",
): T[] {
  const sorted = steps.toSorted((left, right) => comparePaths(left.path, right.path));
  // Sorted like this, a path comes right before those within it.
  for (const [index, { path }] of sorted.slice(1).entries()) {
    const before = (sorted[index] as T).path;
    const place = before.findIndex((part, depth) => part !== path[depth]);
    // Places named by $[] could be any place.
    const mixed = before[place]?.startsWith("$[") !== path[place]?.startsWith("$[");
    if (place >= 0 && !mixed) continue;
    const at = before.slice(0, place < 0 ? undefined : place).join(".");
    throw serverError(codeName, `Updating the path '${path.join(".")}' would create a conflict at '${at}'`);
  }
  return sorted;
}

function comparePaths(left: Path, right: Path): number {
  const at = left.findIndex((part, depth) => part !== right[depth]);
  const [a, b] = [left[at], right[at]];
  if (a === undefined || b === undefined) return left.length - right.length;
  const numbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  return numbers ? Number(a) - Number(b) : a < b ? -1 : 1;
}

function parseArrayFilters(arrayFilters: unknown = []): Map<string, Matcher> {
  const result = new Map<string, Matcher>();
  if (!Array.isArray(arrayFilters)) throw serverError("TypeMismatch", "arrayFilters must be an array");
  for (const each of arrayFilters as unknown[]) {
    const filter = parseFilter(each);
    const [name, other] = new Set(firstNames(filter));
    if (name === undefined || other !== undefined) {
      throw serverError("FailedToParse", "Expected a single top-level field name in an array filter");
    }
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
      throw serverError("BadValue", `The name '${name}' of an array filter must begin with a small letter`);
    }
    if (result.has(name)) throw serverError("FailedToParse", `Found multiple array filters with the same name ${name}`);
    result.set(name, compileFilter(filter));
  }
  return result;
}

function firstNames(filter: Filter): string[] {
  if ("parts" in filter) return filter.parts.flatMap(firstNames);
  return filter.kind === "not" ? firstNames(filter.part) : [filter.path[0] as string];
}

function applySteps(before: Document, steps: readonly Step[], positions: Positions, inserting: boolean): Document {
  const document = copyOf(before);
  const placed = steps.flatMap((step) =>
    concretePaths(document, step.path, positions).map((path) => ({ ...step, path })),
  );
  for (const { path, mode, apply } of inOrder(placed)) {
    if (inserting || mode !== "insert") changeAt(document, path, mode, (value) => apply(value, path.join(".")));
  }
  const id = fieldOf(before, "_id");
  if (id !== undefined && !sameValue(id, fieldOf(document, "_id"))) throw immutableId();
  return document;
}

/** The fields that an upsert takes from the query: those it wants to be equal to a value, by name. */
function documentOfQuery(query: Filter): Document {
  const document: Document = {};
  for (const { path, value } of inOrder(equalitiesOf(query), "NotSingleValueField")) {
    changeAt(document, path, "create", () => copyOf(value));
  }
  return document;
}

function equalitiesOf(filter: Filter): { readonly path: Path; readonly value: unknown }[] {
  if (filter.kind === "and" || (filter.kind === "or" && filter.parts.length === 1)) {
    return filter.parts.flatMap(equalitiesOf);
  }
  if (filter.kind === "compare" && filter.operator === "eq") return [{ path: filter.path, value: filter.operand }];
  const isOne = filter.kind === "in" && filter.operands.length === 1;
  return isOne ? [{ path: filter.path, value: filter.operands[0] }] : [];
}

/** Puts `_id` first, making one when there is none. */
export function withId(document: Document): Document {
  if (Object.keys(document)[0] === "_id") return document;
  return { _id: new ObjectId(), ...document };
}

function immutableId(): Error {
  return serverError("ImmutableField", "Performing an update on the path '_id' would modify the immutable field '_id'");
}
