import { findLabeledCandidates, trimmedSpan } from "./association.ts";
import { parseBoolean, valueIn } from "../../../candidates/words.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { findHits } from "./labeled.ts";
import { currencyCode } from "../../../candidates/currencies.ts";
import type { Scored } from "./scoring.ts";
import { printed } from "../../../layout/span.ts";

const SCANNED = 3_000;

/** Finds candidates for a BOOLEAN column: the yes or no, or the ticked box, after or before one of its labels. */
export function findBooleans(context: Context, keys: readonly string[]): Scored[] {
  return findHits(context, keys).flatMap(({ hit, weight }) => {
    const found: Scored[] = [];
    const box = /(?:[☑☒✓✔☐□]|\[[ xX]?\])\s*$/u.exec(hit.cell.text.slice(0, hit.start));
    if (box) {
      const span = { cell: hit.cell, start: box.index, end: box.index + box[0].trimEnd().length };
      found.push({ candidate: { spans: [span], value: printed(span), shape: 1 }, score: weight * 0.9 });
    }
    for (const { candidate, proximity } of findLabeledCandidates(hit, "text", context)) {
      const truth = parseBoolean(String(candidate.value));
      const span = candidate.spans[0];
      if (!truth || truth.start > 2) continue;
      const part = { cell: span.cell, start: span.start + truth.start, end: span.start + truth.end };
      found.push({
        candidate: { spans: [part], value: printed(part), shape: 1 },
        score: weight * hit.prominence * proximity,
      });
    }
    return found;
  });
}

/**
 * Finds candidates for an ENUM column: one of its values after one of its labels, or else the only value in the text of the document (0.55
 * if there is no other, 0.2 otherwise). Currency enums also match symbols.
 */
export function findEnums(field: Field, context: Context, keys: readonly string[]): Scored[] {
  const values = field.column.enumValues;
  const found: Scored[] = [];
  for (const { hit, weight } of findHits(context, keys)) {
    for (const { candidate, proximity } of findLabeledCandidates(hit, "text", context)) {
      const span = candidate.spans[0];
      const inside = valueIn(printed(span), values);
      if (!inside) continue;
      const part = { cell: span.cell, start: span.start + inside.start, end: span.start + inside.end };
      found.push({
        candidate: { spans: [part], value: inside.value, shape: 1 },
        score: weight * hit.prominence * Math.max(0.7, proximity),
      });
    }
  }
  const named = new Map<string, Scored>();
  for (const cell of context.layout.cells.slice(0, SCANNED)) {
    const inside = valueIn(cell.text, values);
    if (!inside || named.has(inside.value)) continue;
    const span = { cell, start: inside.start, end: inside.end };
    named.set(inside.value, { candidate: { spans: [span], value: inside.value, shape: 1 }, score: 0 });
  }
  const score = named.size === 1 ? 0.55 : 0.2;
  for (const each of named.values()) found.push({ ...each, score });
  if (field.kind === "currency") {
    for (const { candidate, score: strength } of findCurrencies(context)) {
      if (values.includes(String(candidate.value))) found.push({ candidate, score: strength });
    }
  }
  return found;
}

/** Finds candidates for the currency of a document as ISO codes: after a label, or else the one next to the most amounts. */
export function findCurrencies(context: Context, keys: readonly string[] = ["currency"]): Scored[] {
  const found: Scored[] = [];
  for (const { hit, weight } of findHits(context, keys)) {
    for (const { candidate, proximity } of findLabeledCandidates(hit, "text", context)) {
      const span = candidate.spans[0];
      const word = /^\(?([\p{Sc}$\p{L}]{1,4})(?![\p{L}])/u.exec(printed(span));
      const code = word ? currencyCode(word[1] as string) : undefined;
      if (!code || !word) continue;
      const start = span.start + word[0].indexOf(word[1] as string);
      const part = { cell: span.cell, start, end: start + (word[1] as string).length };
      found.push({ candidate: { spans: [part], value: code, shape: 1 }, score: weight * hit.prominence * proximity });
    }
  }
  const counts = new Map<string, { count: number; scored: Scored }>();
  for (const cell of context.layout.cells) {
    for (const number of context.numbers(cell)) {
      if (!number.currency) continue;
      const span = number.spans[0];
      const around = /(\p{Sc}|\p{L}{1,2}\$|\p{L}{2,5})\.?\s?[-−]?$/u.exec(
        cell.text.slice(Math.max(0, span.start - 7), span.start),
      );
      const behind = /^\s?(\p{Sc}|\p{L}{2,5})/u.exec(cell.text.slice(span.end));
      const before = around && currencyCode(around[1] as string) === number.currency;
      const start = before
        ? span.start - around[0].length
        : span.end + (behind ? behind[0].length - (behind[1] as string).length : 0);
      const length = before ? (around[1] as string).length : (behind?.[1]?.length ?? 0);
      const place = trimmedSpan(cell, start, start + length) ?? { cell, start, end: start + length };
      const known = counts.get(number.currency);
      if (known) known.count += 1;
      else
        counts.set(number.currency, {
          count: 1,
          scored: { candidate: { spans: [place], value: number.currency, shape: 1 }, score: 0 },
        });
    }
  }
  const total = [...counts.values()].reduce((sum, each) => sum + each.count, 0);
  for (const { count, scored } of counts.values()) found.push({ ...scored, score: (0.75 * count) / total });
  return found;
}
