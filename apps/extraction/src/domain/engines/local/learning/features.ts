import { isTitle } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import { printed, type Span } from "../../../layout/span.ts";
import type { Cell } from "../../../layout/layout.ts";
import type { RuledCandidate } from "./candidates.ts";
import { getPlace } from "../../../hashing.ts";
import { bucket, describeLine, findBeside, wordsOf, type LineFacts } from "./lines.ts";
import { describeNumber } from "./numbers.ts";

/** Facts about all candidates of a document for a column, to which each candidate is compared. */
export interface Surroundings {
  /** The rules' answer, or undefined. */
  readonly answer: RuledCandidate | undefined;
  /** The values of numbers, the greatest first, without repetitions. */
  readonly numbers: readonly number[];
  /** The number of candidates with each normalized value. */
  readonly counts: ReadonlyMap<string, number>;
  readonly context: Context;
}

/** Describes candidates by the places of binary features, and by what leads to them. */
export interface Describer {
  describe(ruled: RuledCandidate, normal: string): Uint32Array;
  /** Returns the text that leads to a candidate: before it in its row, or else above it; without digits. */
  anchorOf(ruled: RuledCandidate): string;
}

/** What candidates that begin or end at the same place have in common. */
interface Border {
  readonly places: readonly number[];
  readonly own: LineFacts;
  readonly beside: LineFacts | undefined;
}

/**
 * Creates a describer of the candidates of a document for a column. Features are about the form, the place, the text around, the relation to
 * the rules' answer, and for numbers the relation to other numbers. They do not depend on other documents.
 */
export function createDescriber(surroundings: Surroundings): Describer {
  const { answer, context, counts } = surroundings;
  const starts = new Map<string, Border>();
  const ends = new Map<string, Border>();
  const known = <T>(map: Map<string, T>, { row, column }: Cell, at: number, make: () => T): T => {
    const key = `${row}:${column}:${at}`;
    const found = map.get(key) ?? make();
    map.set(key, found);
    return found;
  };
  return {
    describe(ruled, normal) {
      const { candidate, rule } = ruled;
      const [first] = candidate.spans;
      const last = candidate.spans.at(-1) ?? first;
      const start = known(starts, first.cell, first.start, () => toStart(first, context, answer));
      const end = known(ends, last.cell, last.end, () => toEnd(last, context, answer));
      const features = [`rule:${bucket(rule, 0.1)}`, `repeats:${Math.min(4, counts.get(normal) ?? 1)}`];
      if (answer && rule > 0) features.push(`rule-share:${bucket(rule / answer.rule, 0.1)}`);
      if (typeof candidate.value === "number") features.push(...describeNumber(candidate.value, first, surroundings));
      else features.push(...describeText(candidate.spans, start, end));
      return Uint32Array.from(new Set([...start.places, ...end.places, ...features.map(getPlace)]));
    },
    anchorOf({ candidate: { spans } }) {
      const [{ cell, start }] = spans;
      const words = leftWords(cell, start, context).filter((word) => /\p{L}/u.test(word));
      if (words.length > 0) return `left:${words.join(" ")}`;
      const upper = findBeside(cell, context, -1);
      return `above:${
        upper
          ? wordsOf(upper)
              .filter((word) => /\p{L}/u.test(word))
              .join(" ")
          : ""
      }:${spans.length}`;
    },
  };
}

function toStart(span: Span, context: Context, answer: RuledCandidate | undefined): Border {
  const { cell, start } = span;
  const rows = context.layout.rows.length;
  const fromEnd = rows - cell.row;
  const own = describeLine(printed(span), wordsOf(cell, start, span.end));
  const upper = findBeside(cell, context, -1);
  const beside = upper && describeLine(upper.text, wordsOf(upper));
  const features = [
    "bias",
    `row:${cell.row < 12 ? cell.row : `${Math.min(9, Math.floor((10 * cell.row) / rows))}0%`}`,
    `end:${fromEnd <= 12 ? fromEnd : "far"}`,
    `column:${cell.column}/${Math.min(4, context.layout.rows[cell.row]?.cells.length ?? 1)}`,
    `height:${heightOf(cell, context)}`,
    ...own.features.map((feature) => `top-${feature}`),
    ...(beside?.features ?? ["none"]).map((feature) => `upper-${feature}`),
  ];
  if (beside) features.push(`top:${own.address > 0.3}/${beside.address > 0.3}/${beside.form}/${beside.title}`);
  if (answer) {
    const [target] = answer.candidate.spans;
    features.push(`answer-row:${Math.max(-6, Math.min(6, cell.row - target.cell.row))}`);
    if (target.cell === cell && target.start === start) features.push("answer-start");
  } else features.push("no-answer");
  const left = leftWords(cell, start, context);
  features.push(`left:${left.join(" ")}`);
  for (const word of left.slice(-6)) features.push(`left-word:${word}`);
  for (const hit of context.hits[cell.row] ?? []) {
    if (hit.cell.column > cell.column || (hit.cell === cell && hit.start >= start)) continue;
    for (const meaning of hit.meanings.keys()) features.push(`label:${meaning}`);
  }
  if (upper)
    for (const hit of context.hits[upper.row] ?? [])
      if (hit.cell === upper) for (const meaning of hit.meanings.keys()) features.push(`above-label:${meaning}`);
  for (const distance of [-2, -1, 1, 2]) {
    const line = context.layout.rows[cell.row + distance]?.cells[0];
    if (line) features.push(`line${distance}:${wordsOf(line).slice(0, 2).join(" ")}`);
  }
  return { places: features.map(getPlace), own, beside };
}

function toEnd(span: Span, context: Context, answer: RuledCandidate | undefined): Border {
  const { cell, end } = span;
  const own = describeLine(printed(span), wordsOf(cell, span.start, end));
  const lower = findBeside(cell, context, 1);
  const beside = lower && describeLine(lower.text, wordsOf(lower));
  const target = answer?.candidate.spans.at(-1);
  const features = [
    `right:${wordsOf(cell, end)[0] ?? ""}`,
    `right-mark:${/^\s*([^\p{L}\p{N}\s])/u.exec(cell.text.slice(end, end + 8))?.[1] ?? ""}`,
    ...own.features.map((feature) => `final-${feature}`),
    ...(beside?.features ?? ["none"]).map((feature) => `lower-${feature}`),
  ];
  if (beside) features.push(`border:${own.address > 0.3}/${beside.address > 0.3}/${beside.ends}`);
  if (target?.cell === cell && target.end === end) features.push("answer-end");
  return { places: features.map(getPlace), own, beside };
}

function describeText(spans: readonly [Span, ...Span[]], start: Border, end: Border): string[] {
  const text = spans.map(printed).join(" ");
  const features = [
    `lines:${spans.length}`,
    `length:${Math.min(12, Math.floor(text.length / 8))}`,
    `shape:${shapeOf(text)}`,
  ];
  if (spans.length > 2) {
    const inner = spans.slice(1, -1).map(printed);
    if (inner.some((line) => /\d{6}|:|tel|fax/iu.test(line))) features.push("inner-code");
    if (inner.some(isTitle)) features.push("inner-title");
  }
  if (/(?<!\d)\d{5,6}(?!\d)/u.test(text)) features.push("has-postcode");
  features.push(`lines-end:${spans.length}:${String(end.beside?.ends)}`);
  features.push(`ends:${String(start.own.form)}/${String(end.own.form)}`);
  return features;
}

/** Returns the last words before a place of a cell in its row, at most eight. */
function leftWords(cell: Cell, start: number, context: Context): string[] {
  const before = context.layout.rows[cell.row]?.cells.slice(0, cell.column) ?? [];
  return [...before.flatMap((other) => wordsOf(other)), ...wordsOf(cell, 0, start)].slice(-8);
}

function heightOf(cell: Cell, context: Context): string {
  if (!cell.box || context.layout.height === 0) return "none";
  return bucket(Math.min(2.5, (cell.box.y1 - cell.box.y0) / context.layout.height), 0.25);
}

/** Returns the kinds of the characters of a text: "INV-0017 b" gives "A-0_a". */
function shapeOf(text: string): string {
  return text
    .slice(0, 40)
    .replace(/\p{Lu}+/gu, "A")
    .replace(/\p{L}+/gu, "a")
    .replace(/\d+/gu, "0")
    .replace(/\s+/gu, "_")
    .slice(0, 16);
}
