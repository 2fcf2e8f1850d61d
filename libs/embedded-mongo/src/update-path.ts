import { serverError } from "./errors.ts";
import type { Path } from "./filter.ts";
import type { Matcher } from "./matcher.ts";
import { fieldOf, isDocument, setField, textOf, type Document } from "./values.ts";

/** What the parts `$` and `$[name]` of an update's paths stand for. */
export interface Positions {
  /** The place of the array element that the query matched. */
  readonly matched?: number | undefined;
  readonly arrayFilters: ReadonlyMap<string, Matcher>;
}

/**
 * What happens when a path leads nowhere: "create" makes the missing documents on the way ("insert" does the same, and
 * is only for new documents), "strict" changes nothing when something is missing, and "skip" not even when a scalar is
 * in the way, an error for the others.
 */
export type Mode = "create" | "insert" | "strict" | "skip";

/** Says that a field is to be removed (in an array: set to null). */
export const removal = Symbol("removal");

const longestArray = 1_500_000;

/** Replaces `$`, `$[]` and `$[name]` by the places they stand for in this document. */
export function concretePaths(document: Document, path: Path, positions: Positions): Path[] {
  if (!path.some((part) => part.startsWith("$"))) return [path];
  let open: { path: Path; value: unknown }[] = [{ path: [], value: document }];
  for (const part of path) {
    open = open.flatMap(({ path: before, value }) =>
      placesOf(part, value, before, positions).map((name) => ({ path: [...before, name], value: child(value, name) })),
    );
  }
  return open.map(({ path: found }) => found);
}

/** Changes the value at a concrete path: `change` makes the new one, or `removal`, of the old one (undefined if missing). */
export function changeAt(document: Document, path: Path, mode: Mode, change: (value: unknown) => unknown): void {
  let container: unknown = document;
  for (const [depth, name] of path.entries()) {
    const isLast = depth + 1 === path.length;
    const before = child(container, name);
    if (!isDocument(container) && !(Array.isArray(container) && isPlace(name))) {
      if (mode === "skip") return;
      const element = `{${path[depth - 1] ?? ""}: ${textOf(container)}}`;
      const cannot =
        mode === "strict"
          ? `use the part (${name}) of (${path.join(".")}) to traverse the element (${element})`
          : `create field '${name}' in element ${element}`;
      throw serverError("PathNotViable", `Cannot ${cannot}`);
    }
    if (before === undefined && !isLast && (mode === "strict" || mode === "skip")) return;
    const after = isLast ? change(before) : before === undefined ? {} : before;
    if (after !== before && !(after === removal && before === undefined)) put(container, name, after);
    container = after;
  }
}

function child(container: unknown, name: string): unknown {
  if (isDocument(container)) return fieldOf(container, name);
  return Array.isArray(container) && isPlace(name) ? (container[Number(name)] as unknown) : undefined;
}

function put(container: Document | unknown[], name: string, value: unknown): void {
  if (!Array.isArray(container)) {
    if (value === removal) delete container[name];
    else setField(container, name, value);
    return;
  }
  const place = Number(name);
  if (place >= longestArray) throw serverError("BadValue", "an array may not grow beyond 1500000 elements");
  while (container.length < place) container.push(null);
  container[place] = value === removal ? null : value;
}

function placesOf(part: string, value: unknown, before: Path, { matched, arrayFilters }: Positions): string[] {
  if (part === "$") {
    if (matched !== undefined) return [String(matched)];
    throw serverError("BadValue", "The positional operator did not find the match needed from the query.");
  }
  if (!part.startsWith("$[")) return [part];
  const path = before.join(".");
  if (value === undefined) {
    throw serverError("BadValue", `The path '${path}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(value)) {
    throw serverError("BadValue", `Cannot apply array updates to non-array element ${path}: ${textOf(value)}`);
  }
  const name = part.slice(2, -1);
  const matches = arrayFilters.get(name);
  return value.flatMap((element: unknown, at) =>
    matches === undefined || matches({ [name]: element }) ? [String(at)] : [],
  );
}

function isPlace(name: string): boolean {
  return /^(0|[1-9]\d*)$/.test(name);
}
