import { ObjectId } from "bson";
import { sameValue } from "./key-encoding.ts";
import { notImplemented, serverError } from "./errors.ts";
import { parseFilter, type Filter } from "./filter.ts";
import { compileFilter, type Matcher } from "./matcher.ts";
import { parseChange, type Change } from "./update-operators.ts";
import { changeAt, concretePaths, removal, valueAt, type Positions } from "./update-path.ts";
import { copyOf, fieldOf, isDocument, setField, type Document } from "./values.ts";

/** An update that was read and checked. Both functions return a new document and leave their argument alone. */
export interface Update {
  readonly isReplacement: boolean;
  /** Applies the update to a stored document; `matched` is the place for `$`. */
  readonly apply: (document: Document, matched: number | undefined) => Document;
  /** Makes the document that an upsert inserts for a query. */
  readonly insert: (query: Filter) => Document;
}

interface Step {
  readonly path: readonly string[];
  readonly change: Change;
  /** For `$rename`: where the value comes from. */
  readonly from?: readonly string[];
}

/** Reads the `u` (or `update`) of a command together with its `arrayFilters`. */
export function parseUpdate(update: unknown, arrayFilters: unknown): Update {
  if (Array.isArray(update)) throw notImplemented("an update with an aggregation pipeline");
  if (!isDocument(update)) throw serverError("FailedToParse", "an update must be a document");
  const names = Object.keys(update);
  if (names[0]?.startsWith("$") !== true) {
    if (arrayFilters !== undefined) throw serverError("FailedToParse", "Cannot use array filters with a replacement");
    return replacement(update);
  }
  const steps = parseSteps(update);
  const filters = parseArrayFilters(arrayFilters, steps);
  return {
    isReplacement: false,
    apply: (document, matched) => applySteps(document, steps, { matched, arrayFilters: filters }, false),
    insert: (query) => {
      const base = idFirst(documentOfQuery(query));
      const made = applySteps(base, steps, { matched: undefined, arrayFilters: filters }, true);
      return withId(made);
    },
  };
}

function replacement(update: Document): Update {
  for (const name of Object.keys(update)) {
    if (name.startsWith("$")) {
      throw serverError(
        "DollarPrefixedFieldName",
        `The dollar ($) prefixed field '${name}' is not allowed in a replacement`,
      );
    }
  }
  return {
    isReplacement: true,
    apply: (document) => {
      const id = fieldOf(document, "_id");
      const own = fieldOf(update, "_id");
      if (own !== undefined && !sameValue(own, id)) throw immutableId();
      return idFirst({ ...copyOf(update), _id: id });
    },
    insert: (query) => {
      const id = fieldOf(documentOfQuery(query), "_id");
      const own = fieldOf(update, "_id");
      if (id !== undefined && own !== undefined && !sameValue(own, id)) throw immutableId();
      const made = copyOf(update);
      if (own === undefined && id !== undefined) made["_id"] = id;
      return withId(made);
    },
  };
}

function parseSteps(update: Document): Step[] {
  const now = new Date();
  const steps: Step[] = [];
  const paths: string[] = [];
  for (const operator of Object.keys(update)) {
    if (!operator.startsWith("$")) {
      throw serverError("FailedToParse", `Unknown modifier: ${operator}. Expected a valid update modifier`);
    }
    const operands = update[operator];
    if (!isDocument(operands)) {
      throw serverError("FailedToParse", `Modifiers operate on fields but we found another type for ${operator}`);
    }
    for (const name of Object.keys(operands)) {
      const path = checkedPath(name);
      paths.push(name);
      if (operator === "$rename") {
        const target = operands[name];
        if (
          typeof target === "string" &&
          (`${target}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${target}.`))
        ) {
          throw serverError(
            "BadValue",
            `The source and target field for $rename must not be on the same path: ${name}: "${target}"`,
          );
        }
        if (typeof target !== "string") throw serverError("BadValue", "The 'to' field for $rename must be a string");
        if (`${name}${target}`.includes("$")) throw notImplemented("$rename with positions in arrays");
        paths.push(target);
        steps.push({
          path: checkedPath(target),
          from: path,
          change: { mode: "create", onInsert: false, apply: (value) => value },
        });
      } else {
        steps.push({ path, change: parseChange(operator, operands[name], now) });
      }
    }
  }
  checkConflicts(paths);
  return steps.sort((left, right) => comparePaths(left.path, right.path));
}

function checkedPath(name: string): string[] {
  const path = name.split(".");
  if (name === "") throw serverError("EmptyFieldName", "An empty update path is not valid.");
  if (path.includes("")) {
    throw serverError(
      "EmptyFieldName",
      `The update path '${name}' contains an empty field name, which is not allowed.`,
    );
  }
  const wrong = path.find((part, at) => part.startsWith("$") && (at === 0 || !/^\$(\[.*\])?$/.test(part)));
  if (wrong !== undefined) {
    throw serverError("DollarPrefixedFieldName", `The dollar ($) prefixed field '${wrong}' in '${name}' is not valid`);
  }
  return path;
}

function checkConflicts(paths: readonly string[]): void {
  const split = paths.map((path) => path.split("."));
  split.forEach((left, at) => {
    for (const right of split.slice(0, at)) {
      const place = left.findIndex((part, depth) => part !== right[depth]);
      const [a, b] = [left[place], right[place]];
      const within = place < 0 || a === undefined || b === undefined;
      // Places named by $[] could be any place.
      const mixed = !within && a.startsWith("$[") !== b.startsWith("$[");
      if (within || mixed) throw conflict(left.join("."), left.slice(0, place < 0 ? undefined : place).join("."));
    }
  });
}

function conflict(path: string, at: string): Error {
  return serverError("ConflictingUpdateOperators", `Updating the path '${path}' would create a conflict at '${at}'`);
}

/** MongoDB adds fields by name, places in arrays by number. */
function comparePaths(left: readonly string[], right: readonly string[]): number {
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [a, b] = [left[at] as string, right[at] as string];
    if (a === b) continue;
    const numbers = /^\d+$/.test(a) && /^\d+$/.test(b);
    return numbers ? Number(a) - Number(b) : a < b ? -1 : 1;
  }
  return left.length - right.length;
}

function parseArrayFilters(arrayFilters: unknown, steps: readonly Step[]): Map<string, Matcher> {
  const result = new Map<string, Matcher>();
  const used = new Set(steps.flatMap(({ path }) => path.flatMap((part) => /^\$\[(.+)\]$/.exec(part)?.[1] ?? [])));
  if (arrayFilters !== undefined && !Array.isArray(arrayFilters)) {
    throw serverError("TypeMismatch", "arrayFilters must be an array");
  }
  for (const each of (arrayFilters ?? []) as unknown[]) {
    const filter = parseFilter(each);
    const names = new Set(firstNames(filter));
    const [name] = names;
    if (name === undefined || names.size !== 1) {
      throw serverError("FailedToParse", "Expected a single top-level field name in an array filter");
    }
    if (result.has(name)) throw serverError("FailedToParse", `Found multiple array filters with the same name ${name}`);
    if (!used.has(name)) {
      throw serverError("FailedToParse", `The array filter for identifier '${name}' was not used in the update`);
    }
    result.set(name, compileFilter(filter));
  }
  for (const name of used) {
    if (!result.has(name)) throw serverError("BadValue", `No array filter found for identifier '${name}'`);
  }
  return result;
}

function firstNames(filter: Filter): string[] {
  if ("parts" in filter) return filter.parts.flatMap(firstNames);
  return filter.kind === "not" ? firstNames(filter.part) : [filter.path[0] as string];
}

function applySteps(before: Document, steps: readonly Step[], positions: Positions, inserting: boolean): Document {
  const document = copyOf(before);
  const changed = new Set<string>();
  for (const { path, change, from } of steps) {
    if (from !== undefined) {
      rename(document, from, path);
      continue;
    }
    for (const concrete of concretePaths(document, path, positions)) {
      const name = concrete.join(".");
      if (changed.has(name)) throw conflict(name, name);
      changed.add(name);
      if (change.onInsert && !inserting) continue;
      changeAt(document, concrete, change.mode, (value) => change.apply(value, name));
    }
  }
  const id = fieldOf(before, "_id");
  const after = fieldOf(document, "_id");
  if (id !== undefined && (after === undefined || !sameValue(id, after))) throw immutableId();
  return document;
}

function rename(document: Document, from: readonly string[], to: readonly string[]): void {
  let value: unknown;
  changeAt(document, from, "strict", (before) => {
    value = before;
    return before;
  });
  checkNoArray(document, from);
  if (value === undefined) return;
  checkNoArray(document, to);
  changeAt(document, from, "strict", () => removal);
  changeAt(document, to, "create", () => value);
}

function checkNoArray(document: Document, path: readonly string[]): void {
  if (path.some((_, at) => Array.isArray(valueAt(document, path.slice(0, at))))) {
    throw serverError("BadValue", `The field '${path.join(".")}' of $rename cannot be in an array element`);
  }
}

/** The fields that an upsert takes from the query: those it wants to be equal to a value, by name. */
function documentOfQuery(query: Filter): Document {
  const equal = new Map<string, { path: readonly string[]; value: unknown }>();
  const take = (filter: Filter): void => {
    if (filter.kind === "and" || (filter.kind === "or" && filter.parts.length === 1)) filter.parts.forEach(take);
    else if (filter.kind === "compare" && filter.operator === "eq") put(filter.path, filter.operand);
    else if (filter.kind === "in" && filter.operands.length === 1 && filter.patterns.length === 0) {
      put(filter.path, filter.operands[0]);
    }
  };
  const put = (path: readonly string[], value: unknown): void => {
    const name = path.join(".");
    const other = [...equal.keys()].find(
      (each) => `${each}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${each}.`),
    );
    if (other !== undefined) {
      throw serverError(
        "NotSingleValueField",
        `cannot infer query fields to set, both paths '${name}' and '${other}' are matched`,
      );
    }
    equal.set(name, { path, value });
  };
  take(query);
  const document: Document = {};
  for (const name of [...equal.keys()].sort()) {
    const { path, value } = equal.get(name) as { path: readonly string[]; value: unknown };
    changeAt(document, path, "create", () => copyOf(value));
  }
  return document;
}

/** Puts `_id` first, making one when there is none. */
export function withId(document: Document): Document {
  if (fieldOf(document, "_id") === undefined) return { _id: new ObjectId(), ...document };
  return idFirst(document);
}

function idFirst(document: Document): Document {
  if (Object.keys(document)[0] === "_id" || !Object.hasOwn(document, "_id")) return document;
  const result: Document = { _id: document["_id"] };
  for (const name of Object.keys(document)) if (name !== "_id") setField(result, name, document[name]);
  return result;
}

function immutableId(): Error {
  return serverError("ImmutableField", "Performing an update on the path '_id' would modify the immutable field '_id'");
}
