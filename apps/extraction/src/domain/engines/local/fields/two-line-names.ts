import type { Candidate } from "../../../candidates/candidate.ts";
import { addressShape } from "../../../candidates/addresses.ts";
import { hasLegalForm, nameShape } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import { collapse, joined } from "../../../fold.ts";
import type { Cell } from "../../../layout/layout.ts";
import { printed, wholeCell, type Span } from "../../../layout/span.ts";
import { cellsBelow, trimmedSpan } from "./association.ts";

/**
 * Completes a name of which the document prints two lines: "Hill Mutual" above "Insurance Society Ltd". Lines are one name if the second one
 * alone has a legal form, and if both are printed together in several places, such as at the head and the foot: a person above a
 * company is a contact of it, and printed once. Other candidates are returned as they are.
 */
export function completeName(candidate: Candidate, context: Context): Candidate {
  const [span, ...more] = candidate.spans;
  const whole = trimmedSpan(span.cell, 0, span.cell.text.length);
  if (more.length > 0 || !whole || printed(span).trim() !== printed(whole)) return candidate;
  const lines = context.once("two-line-names", () => findNames(context)).get(span.cell);
  return lines ? { ...candidate, spans: lines, value: collapse(lines.map(printed).join(" ")) } : candidate;
}

/** The maximum number of parts of lines that are examined. */
const SCANNED = 4_000;

/** Finds the names of two lines that are printed several times, by the cells of both lines. */
function findNames(context: Context): ReadonlyMap<Cell, readonly [Span, Span]> {
  const places = new Map<string, [Cell, Cell][]>();
  for (const upper of context.layout.cells.slice(0, SCANNED)) {
    if (!isPart(upper.text) || hasLegalForm(upper.text)) continue;
    const [lower] = cellsBelow(upper, context, 1);
    if (!lower || !isPart(lower.text) || !hasLegalForm(lower.text)) continue;
    const key = `${joined(upper.text)} ${joined(lower.text)}`;
    places.set(key, [...(places.get(key) ?? []), [upper, lower]]);
  }
  const names = new Map<Cell, readonly [Span, Span]>();
  for (const pairs of places.values()) {
    if (pairs.length < 2) continue;
    for (const [upper, lower] of pairs)
      for (const cell of [upper, lower]) names.set(cell, [wholeCell(upper), wholeCell(lower)]);
  }
  return names;
}

function isPart(text: string): boolean {
  return nameShape(text) >= 0.45 && addressShape(text) < 0.3;
}
