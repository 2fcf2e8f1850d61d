import { isTitle } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import type { LabelHit } from "../../../labels.ts";
import { cellsBelow } from "./association.ts";
import { findHits } from "./labeled.ts";
import type { Scored } from "./scoring.ts";

/** The words between the title of a document and its date: "Invoice 4711 of 5 March 2018". */
const DATED =
  /(?<!\p{L})(?:vom|von|du|of|dated|from|date|issued(?: (?:at|on))?|emise? le|del?|van|d\.d\.)\s*(?::\s*)?$/iu;
/** What announces a number after a title and its addition: "Rechnung des Versicherers (575) Nr. 4711". */
const NUMBERED = /(?<![\p{L}\d])(?:nr|no|num|number|nummer|numero|numéro|n°|nº|№|#)\.?\s*(?:[:.]\s*)?$/iu;
const MAX_BETWEEN = 80;

/** Finds the numbers in titles of documents that have an addition before the number. */
export function titleNumbers(context: Context): Scored[] {
  return titleHits(context).flatMap((hit) =>
    context.candidates("identifier", hit.cell).flatMap((candidate) => {
      // The words that announce the number may be a part of the label: "Invoice No."
      const between = hit.cell.text.slice(hit.start, candidate.spans[0].start);
      const isNumbered = candidate.spans[0].start > hit.end && between.length < MAX_BETWEEN && NUMBERED.test(between);
      return isNumbered ? [{ candidate, score: 0.9 * candidate.shape }] : [];
    }),
  );
}

/** Finds the dates in titles of documents, and below a title that ends with the word before its date. */
export function titleDates(context: Context): Scored[] {
  return titleHits(context).flatMap((hit) => {
    const inside = context.candidates("date", hit.cell).flatMap((candidate) => {
      const between = hit.cell.text.slice(hit.end, candidate.spans[0].start);
      const isDated = candidate.spans[0].start >= hit.end && between.length < MAX_BETWEEN && DATED.test(between);
      return isDated ? [{ candidate, score: 0.88 * Math.max(0.8, hit.prominence) }] : [];
    });
    if (inside.length > 0) return inside;
    const below = cellsBelow(hit.cell, context, 1).flatMap((cell) => context.candidates("date", cell));
    const isOpen = DATED.test(hit.cell.text.slice(hit.end));
    return below
      .filter(({ spans: [{ cell, start }] }) =>
        isOpen ? start === 0 : DATED.test(cell.text.slice(0, start)) && start < 8,
      )
      .map((candidate) => ({ candidate, score: 0.85 * Math.max(0.8, hit.prominence) }));
  });
}

/** Returns the titles of documents: at the beginning of a line, or after other words if a number follows. */
function titleHits(context: Context): LabelHit[] {
  return findHits(context, ["document-number"]).flatMap(({ hit }) => {
    const text = hit.cell.text.slice(hit.start, hit.end);
    const titled = isTitle(text) || isTitle(text.replace(/\s*\p{L}{1,7}\.?$/u, ""));
    if (hit.start > 2 && !titled) return [];
    if (hit.start > 30 || (hit.start > 2 && hit.cell.tokens.length > 14)) return [];
    return [hit];
  });
}
