import { serverError } from "../errors.ts";
import type { Path } from "../query/filter.ts";
import type { Matcher } from "../query/matcher.ts";
import { isDocument, toText } from "../values/values.ts";

/** What the parts `$` and `$[name]` of an update's paths stand for. */
export interface Places {
  /** The place of the array element that the query matched. */
  readonly matched?: number | undefined;
  readonly filters?: ReadonlyMap<string, Matcher>;
}

/** Makes the new value of the old one; undefined stands for "missing", before and after. */
export type Change = (value: unknown) => unknown;

/** A change of what a path leads to. */
export interface Step {
  readonly path: Path;
  readonly change: Change;
  /** Whether only an upsert that inserts makes it. */
  readonly onlyInserting?: boolean;
}

/** Removes a value; in an array it leaves null. Where a path cannot lead, there is nothing to remove. */
export const remove: Change = () => undefined;

const maxArrayLength = 1_500_000;

/**
 * Copies a value (undefined for a missing one), which is `depth` parts down the paths, with changes in it; makes the documents
 * missing on the way. All changes in one element, document or array are made at once: filters see it as it was, and it is
 * copied once.
 */
export function applyChanges(value: unknown, steps: readonly Step[], places: Places, depth = 0): unknown {
  const [first] = steps;
  if (first === undefined) return value;
  const part = first.path[depth];
  // Paths do not lie within each other: the change of the value itself is the only one.
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
    throw serverError("BadValue", `Cannot apply array updates to what is no array but ${toText(value)}`);
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
