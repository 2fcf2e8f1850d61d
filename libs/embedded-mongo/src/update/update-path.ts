import { serverError } from "../errors.ts";
import type { Path } from "../query/filter.ts";
import type { Matcher } from "../query/matcher.ts";
import { isDocument, toText } from "../values/values.ts";

/** The array elements that `$` and `$[name]` in the paths of an update refer to. */
export interface Places {
  /** The index of the array element that the query matched. */
  readonly matched?: number | undefined;
  readonly filters?: ReadonlyMap<string, Matcher>;
}

/** Returns the new value for an old one. Undefined is a missing value in both cases. */
export type Change = (value: unknown) => unknown;

/** A change of the value at a path. */
export interface Step {
  readonly path: Path;
  readonly change: Change;
  /** True if the change is only for an upsert that inserts. */
  readonly onlyInserting?: boolean;
}

/** Removes a value, or replaces it with null in an array. If the path does not exist, nothing happens. */
export const remove: Change = () => undefined;

const maxArrayLength = 1_500_000;

/**
 * Copies a value with changes in it, and creates missing documents on the paths. The value is undefined if it is missing, and is `depth`
 * parts down the paths. All changes in an element, document or array are made at the same time: array filters see it unchanged, and it is
 * copied once.
 */
export function applyChanges(value: unknown, steps: readonly Step[], places: Places, depth = 0): unknown {
  const [first] = steps;
  if (first === undefined) return value;
  const part = first.path[depth];
  // No path contains another one, so the change of the value itself is the only one.
  if (part === undefined) return first.change(value);
  if (part.startsWith("$[")) return applyChangesToElements(value, part.slice(2, -1), steps, places, depth);
  const named = Map.groupBy(steps, ({ path }) => (path[depth] === "$" ? getPlace(places) : (path[depth] as string)));
  if (value === undefined || isDocument(value)) {
    const fields = new Map(Object.entries(value ?? {}));
    for (const [name, group] of named) {
      const after = applyChanges(fields.get(name), group, places, depth + 1);
      if (after === undefined) fields.delete(name);
      else fields.set(name, after);
    }
    return value === undefined && fields.size === 0 ? undefined : Object.fromEntries(fields);
  }
  const elements: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [];
  for (const [name, group] of named) {
    const place = Array.isArray(value) && /^(0|[1-9]\d*)$/.test(name) ? Number(name) : Number.NaN;
    if (Number.isNaN(place) && group.some(({ change }) => change !== remove)) {
      throw serverError("PathNotViable", `Cannot create field '${name}' in ${toText(value)}`);
    }
    const after = applyChanges(elements[place], group, places, depth + 1);
    if (after === undefined && !(place < elements.length)) continue;
    if (place >= maxArrayLength) throw serverError("BadValue", "an array may not grow beyond 1500000 elements");
    while (elements.length < place) elements.push(null);
    elements[place] = after ?? null;
  }
  return Array.isArray(value) ? elements : value;
}

function applyChangesToElements(
  value: unknown,
  name: string,
  steps: readonly Step[],
  places: Places,
  depth: number,
): unknown {
  if (!Array.isArray(value)) {
    throw serverError("BadValue", `Cannot apply array updates to a value that is not an array: ${toText(value)}`);
  }
  const matches = places.filters?.get(name) ?? (() => true);
  return value.map((element: unknown) =>
    matches({ [name]: element }) ? (applyChanges(element, steps, places, depth + 1) ?? null) : element,
  );
}

function getPlace({ matched }: Places): string {
  if (matched !== undefined) return String(matched);
  throw serverError("BadValue", "The positional operator did not find the match needed from the query.");
}
