import { serverError } from "./errors.ts";
import type { Path } from "./filter.ts";
import type { Matcher } from "./matcher.ts";
import { fieldOf, isDocument, textOf } from "./values.ts";

/** What the parts `$` and `$[name]` of an update's paths stand for. */
export interface Places {
  /** The place of the array element that the query matched. */
  readonly matched?: number | undefined;
  readonly filters?: ReadonlyMap<string, Matcher>;
}

/** Makes the new value of the old one; undefined stands for "missing", before and after. */
export type Change = (value: unknown) => unknown;

/** Removes a value; in an array it leaves null. Where a path cannot lead, there is nothing to remove. */
export const remove: Change = () => undefined;

const longestArray = 1_500_000;

/** Copies a value (undefined for a missing one) with a change at a path in it; makes the documents missing on the way. */
export function changed(value: unknown, path: Path, change: Change, places: Places): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return change(value);
  if (part.startsWith("$[")) return changedElements(value, part.slice(2, -1), rest, change, places);
  const name = part === "$" ? placeOf(places) : part;
  if (value === undefined || isDocument(value)) {
    const after = changed(value && fieldOf(value, name), rest, change, places);
    if (after !== undefined) return { ...value, [name]: after };
    if (value === undefined) return undefined;
    const { [name]: _removed, ...others } = value;
    return others;
  }
  if (Array.isArray(value) && /^(0|[1-9]\d*)$/.test(name)) {
    const place = Number(name);
    const after = changed(value[place], rest, change, places);
    if (after === undefined && place >= value.length) return value;
    if (place >= longestArray) throw serverError("BadValue", "an array may not grow beyond 1500000 elements");
    return Array.from(
      { length: Math.max(value.length, place + 1) },
      (_, at): unknown => (at === place ? after : value[at]) ?? null,
    );
  }
  if (change === remove) return changed(undefined, rest, change, places) ?? value;
  throw serverError("PathNotViable", `Cannot create field '${name}' in ${textOf(value)}`);
}

function changedElements(value: unknown, name: string, rest: Path, change: Change, places: Places): unknown {
  if (!Array.isArray(value)) {
    throw serverError("BadValue", `Cannot apply array updates to what is no array but ${textOf(value)}`);
  }
  const matches = places.filters?.get(name) ?? (() => true);
  return value.map((element: unknown) =>
    matches({ [name]: element }) ? (changed(element, rest, change, places) ?? null) : element,
  );
}

function placeOf({ matched }: Places): string {
  if (matched !== undefined) return String(matched);
  throw serverError("BadValue", "The positional operator did not find the match needed from the query.");
}
