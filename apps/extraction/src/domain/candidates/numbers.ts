import type { Cell } from "../layout/layout.ts";
import type { Candidate } from "./candidate.ts";
import { currencyAround, currencyCode } from "./currencies.ts";

/** The decimal mark of a document; undefined if it is unknown. */
export type DecimalMark = "," | "." | undefined;

/** A number in a document. */
export interface NumberCandidate extends Candidate {
  readonly value: number;
  readonly decimals: number;
  readonly percent: boolean;
  /** The code of the currency next to it. */
  readonly currency: string | undefined;
  /** Whether letters follow directly, as in "5kg". */
  readonly isAttached: boolean;
  /** Whether it has leading zeros, or too many digits for a quantity, as codes have. */
  readonly looksLikeCode: boolean;
}

/** Detects the mark that occurs more often before two final digits. */
export function detectDecimalMark(texts: Iterable<string>): DecimalMark {
  let commas = 0;
  let points = 0;
  for (const text of texts) {
    for (const match of text.matchAll(/\d([.,])\d{2}(?![\d.,/-])/gu)) {
      if (match[1] === ",") commas += 1;
      else points += 1;
    }
  }
  if (commas === points) return undefined;
  return commas > points ? "," : ".";
}

/** Thousands, and then groups of two digits: "12,34,567". */
const INDIAN_GROUPS = /^\d{1,2}(?:,\d{2})+,\d{3}$/u;

/**
 * Parses a number without a sign: "1.234,56", "1,234.56", "1 234,56", "1'234.50", "12,34,567.00", "12,5", ".50". A single mark before three
 * digits is interpreted with the document's decimal mark, or as a thousands separator if that is unknown. Returns undefined if the text is
 * not a number.
 */
export function parseNumber(text: string, mark: DecimalMark): { value: number; decimals: number } | undefined {
  const plain = text.replace(/[\s'’]/gu, "");
  const last = Math.max(plain.lastIndexOf(","), plain.lastIndexOf("."));
  if (last < 0) return plain.length > 15 ? undefined : { value: Number(plain), decimals: 0 };
  const sign = plain[last] as string;
  const marks = [...plain.matchAll(/[.,]/gu)];
  const tail = plain.length - last - 1;
  const mixed = marks.some((match) => match[0] !== sign);
  const repeated = marks.filter((match) => match[0] === sign).length > 1;
  const grouping = repeated || (!mixed && tail === 3 && sign !== mark && !/^[0.]/u.test(plain));
  const whole = grouping ? plain : plain.slice(0, last);
  if (grouping && mixed) return undefined;
  const groups = whole.split(/[.,]/u);
  const wellGrouped = groups.every((group, index) => (index === 0 ? /^\d{1,3}$/u.test(group) : /^\d{3}$/u.test(group)));
  if (groups.length > 1 && !wellGrouped && !INDIAN_GROUPS.test(whole)) return undefined;
  // "$.50" has no digit before the point.
  const digits = sign === "." && last === 0 ? "0" : groups.join("");
  if (digits === "" || digits.length > 15 || (!grouping && (tail === 0 || tail > 6))) return undefined;
  const decimals = grouping ? 0 : tail;
  return { value: Number(grouping ? digits : `${digits}.${plain.slice(last + 1)}`), decimals };
}

/** Finds the numbers in a cell, in order. Parts of dates, times, codes and words are left out. */
export function numbersIn(cell: Cell, mark: DecimalMark): NumberCandidate[] {
  const found: NumberCandidate[] = [];
  const text = cell.text;
  for (const match of text.matchAll(
    /(?:(?<![\p{L}\d.,])\.(?=\d{1,4}(?!\d)))?\d(?:[\d.,'’]*\d|(?=\D|$))(?:[ \u00a0\u202f]\d{3}(?![\d]))*(?:[.,]\d{1,4}(?!\d))?/gu,
  )) {
    const printed = match[0];
    const start = match.index;
    const end = start + printed.length;
    const parsed = parseSpaced(printed, mark);
    if (!parsed) continue;
    const before = text.slice(Math.max(0, start - 6), start);
    const after = text.slice(end, end + 6);
    const rest = text.slice(end);
    if (/[\p{L}\d_][-/:._]?$/u.test(before) && !currencyAround(before, "").isAdjacent) continue;
    // In "15.U0", a decimal was misread: the amount is not 15.
    if (/^(?:[-/:_]\d|\.\d|-\p{L}{2}|[.,]\p{L}\d(?![\p{L}\d]))/u.test(after)) continue;
    const around = currencyAround(before, after);
    const negative =
      /(?:^|[^\p{L}\d)])[-−–]\s?\p{Sc}?\s?$/u.test(before) ||
      /^(?:[-−](?!\S)|\s[-−]\s*$)/u.test(rest) ||
      (/\(\p{Sc}?$/u.test(before) && rest.startsWith(")") && parsed.decimals === 2);
    // A currency that touches the number is part of the span, and so is a sign before either of them.
    const lead = /(?:[-−–]\s?\p{Sc}|\p{Sc}[-−–]|[-−–]|\p{Sc})$/u.exec(before)?.[0] ?? "";
    const letters = /(?<![\p{L}\d])\p{L}{1,3}\$?$/u.exec(before)?.[0] ?? "";
    const touching = currencyCode(letters) === undefined ? "" : letters;
    const signStart = start - (touching || (negative ? lead : lead.replace(/[^\p{Sc}]/gu, ""))).length;
    const percent = /^\s?%/u.test(after);
    const looksLikeCode = /^0\d/u.test(printed) || (parsed.decimals === 0 && parsed.value >= 1e7);
    const isAttached = /^\p{L}/u.test(after) && !around.isAdjacent;
    found.push({
      spans: [{ cell, start: signStart, end }],
      value: negative && parsed.value !== 0 ? -parsed.value : parsed.value,
      decimals: parsed.decimals,
      percent,
      currency: around.code,
      isAttached,
      looksLikeCode,
      shape: looksLikeCode ? 0.3 : isAttached ? 0.6 : 1,
    });
  }
  return found;
}

/** Rates how much a number looks like an amount of money, from 0 to 1. */
export function moneyShape(number: NumberCandidate): number {
  if (number.percent) return 0;
  if (number.currency) return 1;
  if (number.isAttached || number.looksLikeCode) return 0.15;
  if (number.decimals === 2) return 1;
  return number.decimals > 0 ? 0.6 : 0.45;
}

function parseSpaced(printed: string, mark: DecimalMark): { value: number; decimals: number } | undefined {
  const spaced = /[ \u00a0\u202f]/u.test(printed);
  if (spaced && !/^\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,4})?$/u.test(printed)) return undefined;
  return parseNumber(printed, mark);
}
