import type { Value } from "@bufbuild/protobuf/wkt";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Candidate } from "../../../candidates/candidate.ts";
import { findDates } from "@switchyard/text";
import type { DayOrder } from "@switchyard/text";
import { parseNumber, type DecimalMark } from "../../../candidates/numbers.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { getLetters } from "../../../fold.ts";
import { printed } from "../../../layout/span.ts";

/** Normalizes a candidate for comparison: a number with four decimals, a date, or the letters and digits of a text. */
export function normalizeCandidate(candidate: Candidate, field: Field, context: Context): string {
  const text = candidate.spans.map(printed).join(" ");
  if (typeof candidate.value === "number") return candidate.value.toFixed(4);
  if (field.column.type === ColumnType.NUMBER) return normalizeText(text, field, context.order, context.mark);
  if (field.kind === "date") return candidate.value;
  return getLetters(candidate.value);
}

/** Normalizes an accepted value like a candidate; undefined if it has no text. */
export function normalizeValue(value: Value, field: Field, context: Context): string | undefined {
  switch (value.kind.case) {
    case "numberValue":
      return value.kind.value.toFixed(4);
    case "stringValue":
      return normalizeText(value.kind.value, field, context.order, context.mark);
    default:
      return undefined;
  }
}

function normalizeText(text: string, field: Field, order: DayOrder, mark: DecimalMark): string {
  if (field.kind === "date") return findDates(text, order)[0]?.value ?? getLetters(text);
  if (field.kind === "money" || field.kind === "number" || field.kind === "percent") {
    const number = /\d[\d.,'’ \u00a0]*/u.exec(text)?.[0].trim().replace(/[.,]$/u, "");
    const parsed = number === undefined ? undefined : parseNumber(number, mark);
    if (parsed)
      return (/[-−]\s?\p{Sc}?\s?\d/u.test(text) && parsed.value !== 0 ? -parsed.value : parsed.value).toFixed(4);
  }
  return getLetters(text);
}

/** Computes how similar two texts are: 1 minus the Levenshtein distance over the greater length. At least `floor`, or else 0. */
export function computeSimilarity(one: string, other: string, floor: number): number {
  const longer = Math.max(one.length, other.length);
  if (longer === 0) return 1;
  const most = Math.floor((1 - floor) * longer);
  if (Math.abs(one.length - other.length) > most || longer > 400) return 0;
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column += 1) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const distance = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + cost,
      );
      current.push(distance);
      least = Math.min(least, distance);
    }
    if (least > most) return 0;
    previous = current;
  }
  const similarity = 1 - (previous[other.length] as number) / longer;
  return similarity >= floor ? similarity : 0;
}
