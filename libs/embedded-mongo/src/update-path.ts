import { serverError } from "./errors.ts";
import type { Matcher } from "./matcher.ts";
import { fieldOf, isDocument, setField, textOf, type Document } from "./values.ts";

/** What the parts `$` and `$[name]` of an update's paths stand for. */
export interface Positions {
  /** The place of the array element that the query matched. */
  readonly matched: number | undefined;
  readonly arrayFilters: ReadonlyMap<string, Matcher>;
}

/** What happens when a path leads nowhere. */
export type Mode = "create" | "strict" | "skip";

/** Says that a field is to be removed (in an array: set to null). */
export const removal = Symbol("removal");

const longestArray = 1_500_000;

/** Replaces `$`, `$[]` and `$[name]` by the places they stand for in this document. */
export function concretePaths(document: Document, path: readonly string[], positions: Positions): string[][] {
  let open: { path: string[]; value: unknown }[] = [{ path: [], value: document }];
  for (const part of path) {
    open = open.flatMap(({ path: before, value }) =>
      placesOf(part, value, before, positions).map((name) => ({ path: [...before, name], value: child(value, name) })),
    );
  }
  return open.map(({ path: found }) => found);
}

/**
 * Changes the value at a concrete path. `change` gets the old value (undefined when missing) and returns the new one,
 * or `removal`. When the path leads nowhere: "create" makes the missing documents on the way (a scalar on it is an
 * error), "strict" changes nothing if something is missing (a scalar is an error), "skip" changes nothing at all.
 */
export function changeAt(
  document: Document,
  path: readonly string[],
  mode: Mode,
  change: (value: unknown) => unknown,
): void {
  let container: unknown = document;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const name = path[depth] as string;
    let next = child(container, name);
    if (next === undefined && !isViable(container, name) && mode === "strict") throw notViable(path, depth, document);
    if (next === undefined) {
      if (mode !== "create") return;
      next = {};
      put(container, name, next, path, document);
    }
    container = next;
  }
  const name = path.at(-1) as string;
  if (mode !== "create" && !isViable(container, name)) {
    if (mode === "strict") throw notViable(path, path.length - 1, document);
    return;
  }
  const before = child(container, name);
  const after = change(before);
  if (after === removal) {
    if (before === undefined) return;
    if (Array.isArray(container)) container[Number(name)] = null;
    else delete (container as Document)[name];
  } else if (after !== before) {
    put(container, name, after, path, document);
  }
}

/** Whether a container can have a field or element of this name. */
function isViable(container: unknown, name: string): boolean {
  return isDocument(container) || (Array.isArray(container) && isPlace(name));
}

function notViable(path: readonly string[], depth: number, document: Document): Error {
  const element = textOf(valueAt(document, path.slice(0, depth)));
  return serverError(
    "PathNotViable",
    `Cannot use the part (${path[depth] as string}) of (${path.join(".")}) to traverse the element ({${path[depth - 1] ?? ""}: ${element}})`,
  );
}

/** The value at a concrete path, undefined when missing. */
export function valueAt(document: Document, path: readonly string[]): unknown {
  let value: unknown = document;
  for (const name of path) value = child(value, name);
  return value;
}

function child(container: unknown, name: string): unknown {
  if (isDocument(container)) return fieldOf(container, name);
  if (Array.isArray(container) && isPlace(name)) return container[Number(name)] as unknown;
  return undefined;
}

function put(container: unknown, name: string, value: unknown, path: readonly string[], document: Document): void {
  if (isDocument(container)) {
    setField(container, name, value);
  } else if (Array.isArray(container) && isPlace(name)) {
    const place = Number(name);
    if (place >= longestArray) throw serverError("BadValue", "an array may not grow beyond 1500000 elements");
    while (container.length < place) container.push(null);
    container[place] = value;
  } else {
    const id = textOf(fieldOf(document, "_id"));
    throw serverError(
      "PathNotViable",
      `Cannot create field '${name}' in element {${path[path.indexOf(name) - 1] ?? ""}: ${textOf(container)}} (path ${path.join(".")}, _id ${id})`,
    );
  }
}

function placesOf(part: string, value: unknown, before: readonly string[], positions: Positions): string[] {
  if (part === "$") {
    if (positions.matched === undefined) {
      throw serverError("BadValue", "The positional operator did not find the match needed from the query.");
    }
    return [String(positions.matched)];
  }
  const filtered = /^\$\[(.*)\]$/.exec(part);
  if (filtered === null) return [part];
  const path = before.join(".");
  if (value === undefined) {
    throw serverError("BadValue", `The path '${path}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(value)) {
    throw serverError("BadValue", `Cannot apply array updates to non-array element ${path}: ${textOf(value)}`);
  }
  const name = filtered[1] as string;
  const matches = name === "" ? undefined : positions.arrayFilters.get(name);
  return value.flatMap((element: unknown, at) =>
    matches === undefined || matches({ [name]: element }) ? [String(at)] : [],
  );
}

function isPlace(name: string): boolean {
  return /^(0|[1-9]\d*)$/.test(name);
}
