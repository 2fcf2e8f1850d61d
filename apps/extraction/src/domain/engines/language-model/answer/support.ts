import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { computeSimilarity, prepareText } from "@switchyard/matching";
import { findDates } from "@switchyard/text";
import { currencyCode } from "../../../candidates/currencies.ts";
import { numbersIn, parseNumber } from "../../../candidates/numbers.ts";
import type { DecimalMark, NumberCandidate } from "../../../candidates/numbers.ts";
import { parseBoolean } from "../../../candidates/words.ts";
import { getLetters } from "../../../fold.ts";
import type { Cell } from "../../../layout/layout.ts";
import { print } from "./quotes.ts";
import type { Place } from "./quotes.ts";

/** How similar a text must be to the words that it was read from, if neither contains the other. */
const MIN_SIMILARITY = 0.8;
/** The share of a text that its words must make up if it contains them. */
const MIN_SHARE = 0.5;
/** The letters of the words that support a value whose meaning cannot be checked. */
const MIN_LETTERS = 4;
const MARKS: readonly DecimalMark[] = [undefined, ".", ","];

/**
 * Whether the words at a place say a value: the same number or day, or a text that contains them or is contained in them. What a text means for an
 * enum or a Boolean cannot be checked, so any words of at least four letters support these, unless they say the opposite. Never throws.
 */
export type Support = (value: string | number | boolean, column: Column, place: Place) => boolean;

/** Creates the check of values for a document. It finds the numbers of a cell once, because the quotes of many rows may be in the same cells. */
export function createSupport(): Support {
  const known = new Map<Cell, readonly NumberCandidate[]>();
  const getNumbers = (cell: Cell): readonly NumberCandidate[] => {
    const numbers = known.get(cell) ?? MARKS.flatMap((mark) => numbersIn(cell, mark));
    known.set(cell, numbers);
    return numbers;
  };
  return (value, column, place) => isSupported(value, column, place, getNumbers);
}

function isSupported(
  value: string | number | boolean,
  column: Column,
  place: Place,
  getNumbers: (cell: Cell) => readonly NumberCandidate[],
): boolean {
  switch (column.type) {
    case ColumnType.NUMBER:
      return typeof value === "number" && saysNumber(value, place, getNumbers);
    case ColumnType.DATE:
      return typeof value === "string" && saysDay(value, print(place.spans));
    case ColumnType.BOOLEAN:
      return typeof value === "boolean" && meansBoolean(value, print(place.spans));
    case ColumnType.ENUM:
      return typeof value === "string" && (saysText(value, print(place.spans)) || meansSomething(print(place.spans)));
    default:
      return typeof value === "string" && saysText(value, print(place.spans));
  }
}

/** The sign is not compared: whether a deduction is negative is a matter of the column. */
function saysNumber(value: number, { spans }: Place, getNumbers: (cell: Cell) => readonly NumberCandidate[]): boolean {
  // Allows for the rounding of a decimal fraction, and of a percentage that is divided.
  const rounding = Math.max(1e-9, 4 * Number.EPSILON * Math.abs(value));
  const isSame = (number: number): boolean => Math.abs(Math.abs(number) - Math.abs(value)) <= rounding;
  const candidates = spans.flatMap(({ cell, start, end }) =>
    getNumbers(cell).filter(({ spans: [span] }) => span.start < end && span.end > start),
  );
  if (candidates.some(({ value: number, percent }) => isSame(number) || (percent && isSame(number / 100)))) return true;
  const words = print(spans);
  return [...words.matchAll(/\d(?:[\d.,'’ \u00a0\u202f]*\d)?/gu)].some(([number]) =>
    MARKS.some((mark) => isSame(parseNumber(number, mark)?.value ?? NaN)),
  );
}

function saysDay(value: string, words: string): boolean {
  return (["day-first", "month-first"] as const).some((order) =>
    findDates(words, order).some((date) => date.value === value),
  );
}

function meansBoolean(value: boolean, words: string): boolean {
  const said = parseBoolean(words)?.value;
  return said === value || (said === undefined && meansSomething(words));
}

/** Whether words are more than what is found by chance: single letters, numbers, and words of a few letters. */
function meansSomething(words: string): boolean {
  return getLetters(words).replace(/\p{N}/gu, "").length >= MIN_LETTERS;
}

function saysText(value: string, words: string): boolean {
  const [wanted, given] = [getLetters(value), getLetters(words)];
  if (wanted === "") return false;
  if (given.includes(wanted) || saysDay(value, words) || currencyCode(words) === value) return true;
  if (wanted.includes(given) && given.length >= MIN_SHARE * wanted.length) return true;
  return computeSimilarity(prepareText(value), prepareText(words)) >= MIN_SIMILARITY;
}
