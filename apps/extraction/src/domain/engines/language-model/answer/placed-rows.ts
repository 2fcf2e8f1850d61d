import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { TextLine } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { AnsweredCell, AnsweredRow } from "./answer.ts";
import type { Place, QuoteSearch } from "./quotes.ts";
import type { Support } from "./support.ts";
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
  readonly isSupported: Support;
  /** Returns the line of the document with a number. */
  readonly getLine: (number: number) => TextLine | undefined;
  /** Returns the number of the line of a place; 0 if it has none. */
  readonly getLineNumber: (place: Place) => number;
}

/** A value with the words that it was read from. */
interface Quoted {
  readonly slug: string;
  readonly value: string | number | boolean;
  readonly quote: string;
  /** Whether the words at a place say the value. */
  readonly isPlace: (place: Place) => boolean;
  /** The place on the line that the answer names. */
  readonly named: Place | undefined;
}

/**
 * Types the values of an answered row, and looks up the words that they were read from. Only a place whose words say the value counts. Of several
 * places of the same words, the one on the line that the answer names is taken, else the one nearest to the rest of the row, else the first.
 * Values that do not fit their column are left out. Never throws.
 */
export function placeRow(row: AnsweredRow, columns: readonly Column[], lookup: Lookup): PlacedRow {
  const cells = columns.flatMap((column): Quoted[] => {
    const cell = row.get(column.slug);
    const value = cell && toTyped(cell.value, column, lookup);
    if (cell === undefined || value === undefined) return [];
    const isPlace = (place: Place): boolean => lookup.isSupported(value, column, place);
    return [{ slug: column.slug, value, quote: cell.quote, isPlace, named: findNamed(cell, isPlace, lookup) }];
  });
  const certain = cells.find(({ named }) => named !== undefined)?.named ?? findRarest(cells, lookup);
  return new Map(
    cells.map((cell) => [cell.slug, { value: cell.value, place: cell.named ?? findNearest(cell, certain, lookup) }]),
  );
}

function findNamed(
  { line, quote }: AnsweredCell,
  isPlace: Quoted["isPlace"],
  { search, getLine }: Lookup,
): Place | undefined {
  const named = line === 0 ? undefined : getLine(line);
  return named && search.findOn(quote, named).find(isPlace);
}

/** Returns the place of the words that occur least often, if a few words of the row occur only seldom. */
function findRarest(cells: readonly Quoted[], { search }: Lookup): Place | undefined {
  const found = cells.map(({ quote, isPlace }) => search.find(quote).filter(isPlace));
  const [rarest] = found.filter((places) => places.length > 0).sort((one, other) => one.length - other.length);
  return rarest?.[0];
}

function findNearest({ quote, isPlace }: Quoted, to: Place | undefined, { search }: Lookup): Place | undefined {
  if (to === undefined) return search.find(quote).find(isPlace);
  const distance = ({ position }: Place): number => Math.abs(position - to.position);
  const places = [...search.findNear(quote, to.position)];
  return places.sort((one, other) => distance(one) - distance(other)).find(isPlace);
}
