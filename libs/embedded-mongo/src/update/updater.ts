import { ObjectId } from "bson";
import { getSetKey, isSameValue } from "../values/key-encoding.ts";
import { notImplemented, serverError, type CodeName } from "../errors.ts";
import { parseFilter, type Filter, type Path } from "../query/filter.ts";
import { compileFilter, type Matcher } from "../query/matcher.ts";
import { parseChange } from "./update-operators.ts";
import { applyChanges, type Step } from "./update-path.ts";
import { getField, isDocument, splitPath, type Document } from "../values/values.ts";

/** A parsed update. Its functions return a new document and do not change their argument. */
export interface Update {
  readonly isReplacement: boolean;
  /** Applies the update to a stored document. `matched` is the index for `$`. */
  readonly apply: (document: Document, matched: number | undefined) => Document;
  /** Creates the document that an upsert inserts for a query. */
  readonly insert: (query: Filter) => Document;
}

/** The operators in paths that refer to elements of an array. `$[name]` refers to those that an array filter selects. */
export const positionalOperators: readonly string[] = ["$", "$[]", "$[name]"];

/** Returns the new document for an old one, without checking the `_id`. */
type Transform = (document: Document, matched: number | undefined, inserting: boolean) => Document;

/** Parses the `u` or `update` of a command and its `arrayFilters`. */
export function parseUpdate(update: unknown, arrayFilters: unknown): Update {
  if (Array.isArray(update)) throw notImplemented("an update with an aggregation pipeline");
  if (!isDocument(update)) throw serverError("FailedToParse", "an update must be a document");
  const isReplacement = Object.keys(update)[0]?.startsWith("$") !== true;
  const transform = isReplacement ? parseReplacement(update, arrayFilters) : parseOperators(update, arrayFilters);

  function apply(before: Document, matched: number | undefined, inserting = false): Document {
    const after = transform(before, matched, inserting);
    const id = getField(before, "_id");
    if (id === undefined || isSameValue(id, getField(after, "_id"))) return after;
    throw serverError("ImmutableField", "Performing an update would modify the immutable field '_id'");
  }

  function insert(query: Filter): Document {
    const equalities = getEqualities(query).filter(({ path }) => !isReplacement || path[0] === "_id");
    if (isReplacement && equalities.some(({ path }) => path.length > 1)) {
      throw serverError(
        "NotExactValueField",
        "an upsert with a replacement cannot take a part of the _id from its query",
      );
    }
    const wanted = applyChanges({}, sortByPath(equalities, "NotSingleValueField"), {}) as Document;
    return withId(apply(wanted, undefined, true));
  }

  return { isReplacement, apply, insert };
}

function parseReplacement(update: Document, arrayFilters: unknown): Transform {
  if (arrayFilters !== undefined) throw serverError("FailedToParse", "Cannot use array filters with a replacement");
  const wrong = Object.keys(update).find((name) => name.startsWith("$"));
  if (wrong !== undefined) {
    throw serverError("DollarPrefixedFieldName", `The dollar ($) prefixed field '${wrong}' cannot be in a replacement`);
  }
  return (document) => ("_id" in document ? { _id: document["_id"], ...update } : update);
}

function parseOperators(update: Document, arrayFilters: unknown): Transform {
  const filters = parseArrayFilters(arrayFilters);
  const steps = Object.keys(update).flatMap((operator): Step[] => {
    const operands = update[operator];
    if (!operator.startsWith("$") || !isDocument(operands)) {
      throw serverError("FailedToParse", `'${operator}' is not an update operator with a document`);
    }
    const onlyInserting = operator === "$setOnInsert";
    return Object.keys(operands).map((name) => ({
      path: parsePath(name),
      change: parseChange(operator, operands[name], name),
      onlyInserting,
    }));
  });
  const named = new Set(steps.flatMap(({ path }) => path.flatMap((part) => /^\$\[(.+)\]$/.exec(part)?.[1] ?? [])));
  for (const name of [...named, ...filters.keys()]) {
    if (named.has(name) && filters.has(name)) continue;
    throw serverError("FailedToParse", `'${name}' must be both in an array filter and in a path, as $[${name}]`);
  }
  const ordered = sortByPath(steps, "ConflictingUpdateOperators");
  return (document, matched, inserting) => {
    const wanted = ordered.filter(({ onlyInserting }) => inserting || onlyInserting !== true);
    return applyChanges(document, wanted, { matched, filters }) as Document;
  };
}

function parsePath(name: string): Path {
  const path = splitPath(name);
  if (path.includes("")) throw serverError("EmptyFieldName", `The update path '${name}' has an empty field name`);
  const wrong = path.find((part, at) => part.startsWith("$") && (at === 0 || !/^\$(\[.*\])?$/.test(part)));
  if (wrong !== undefined) {
    throw serverError("DollarPrefixedFieldName", `The dollar ($) prefixed field '${wrong}' in '${name}' is not valid`);
  }
  if (path.indexOf("$") !== path.lastIndexOf("$")) throw serverError("BadValue", `'${name}' has more than one '$'`);
  return path;
}

/** Sorts by names, the order in which MongoDB adds fields. Rejects paths if one contains, or could contain, another one. */
function sortByPath(steps: readonly Step[], codeName: CodeName): Step[] {
  const getKey = ({ path }: Step): string => path.join("\0");
  // In this order, a path is followed by those that it contains.
  const sorted = steps.toSorted((left, right) => (getKey(left) < getKey(right) ? -1 : 1));
  for (const [index, { path }] of sorted.slice(1).entries()) {
    const before = (sorted[index] as Step).path;
    const at = before.findIndex((part, depth) => part !== path[depth]);
    const both = `'${before.join(".")}' and '${path.join(".")}'`;
    if (at < 0) throw serverError(codeName, `Updating the paths ${both} would create a conflict`);
    if ([before, path].some((each) => each[at]?.startsWith("$"))) {
      throw notImplemented(`naming elements of one array in two ways (${both})`);
    }
  }
  return sorted;
}

function parseArrayFilters(arrayFilters: unknown = []): Map<string, Matcher> {
  const result = new Map<string, Matcher>();
  if (!Array.isArray(arrayFilters)) throw serverError("TypeMismatch", "arrayFilters must be an array");
  for (const each of arrayFilters as unknown[]) {
    const filter = parseFilter(each);
    const [name = "", other] = new Set(getFirstNames(filter));
    if (other !== undefined || result.has(name) || !/^[a-z][a-zA-Z0-9]*$/.test(name)) {
      throw serverError("FailedToParse", "an array filter needs one unique name that starts with a lowercase letter");
    }
    result.set(name, compileFilter(filter));
  }
  return result;
}

function getFirstNames(filter: Filter): string[] {
  if ("parts" in filter) return filter.parts.flatMap(getFirstNames);
  return filter.kind === "not" ? getFirstNames(filter.part) : [filter.path[0] as string];
}

/** Returns the fields that an upsert takes from its query: those that must equal a value. */
function getEqualities(filter: Filter): Step[] {
  if (filter.kind === "and" || (filter.kind === "or" && filter.parts.length === 1)) {
    return filter.parts.flatMap(getEqualities);
  }
  if (filter.kind !== "compare" || filter.operator !== "in") return [];
  // A list that repeats one value is the same as the value.
  if (new Set(filter.operands.map(getSetKey)).size !== 1) return [];
  return [{ path: filter.path, change: () => filter.operands[0] }];
}

/** Moves the `_id` to the first position, or creates one. */
export function withId(document: Document): Document {
  return Object.keys(document)[0] === "_id" ? document : { _id: new ObjectId(), ...document };
}
