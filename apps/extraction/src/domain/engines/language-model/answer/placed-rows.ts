import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AnsweredCell, AnsweredRow } from "./answer.ts";
import type { Place, QuoteSearch } from "./quotes.ts";
import { isSupported } from "./support.ts";
import { toTyped, type Conventions } from "./typed-values.ts";

/** A value with the place in the document that says it; undefined if there is none. */
export interface PlacedValue {
  readonly value: string | number | boolean;
  readonly place: Place | undefined;
}

/** The values of a row by the slug of the column, without those that have none. */
export type PlacedRow = ReadonlyMap<string, PlacedValue>;

/** How the words of a document are found. */
export interface Lookup extends Conventions {
  readonly search: QuoteSearch;
  /** Returns the number of the line of a place; 0 if it has none. */
  readonly getLine: (place: Place) => number;
}

/**
 * Types the values of an answered row, and looks up the words that they were read from. Only a place whose words say the value counts. Of several
 * places of the same words, the one on the line that the answer names is taken, else the one nearest to the rest of the row, else the first.
 * Values that do not fit their column are left out. Never throws.
 */
export function placeRow(row: AnsweredRow, columns: readonly Column[], lookup: Lookup): PlacedRow {
  const cells = columns.flatMap((column) => {
    const cell = row.get(column.slug);
    const value = cell && toTyped(cell.value, column, lookup);
    if (cell === undefined || value === undefined) return [];
    const places = lookup.search(cell.quote).filter((place) => isSupported(value, column, place));
    return [{ slug: column.slug, value, places, named: findNamed(cell, places, lookup) }];
  });
  const certain =
    cells.find(({ named }) => named !== undefined)?.named ?? findRarest(cells.map(({ places }) => places));
  return new Map(
    cells.map(({ slug, value, places, named }) => [slug, { value, place: named ?? findNearest(places, certain) }]),
  );
}

function findNamed({ line }: AnsweredCell, places: readonly Place[], { getLine }: Lookup): Place | undefined {
  return line === 0 ? undefined : places.find((place) => getLine(place) === line);
}

/** Returns the place of the words that occur least often, if a few words of the row occur only seldom. */
function findRarest(cells: readonly (readonly Place[])[]): Place | undefined {
  const [rarest] = cells.filter((places) => places.length > 0).sort((one, other) => one.length - other.length);
  return rarest?.[0];
}

function findNearest(places: readonly Place[], to: Place | undefined): Place | undefined {
  if (to === undefined) return places[0];
  return places.reduce<Place | undefined>(
    (best, place) => (best === undefined || distance(place, to) < distance(best, to) ? place : best),
    undefined,
  );
}

function distance(one: Place, other: Place): number {
  return Math.abs(one.position - other.position);
}
