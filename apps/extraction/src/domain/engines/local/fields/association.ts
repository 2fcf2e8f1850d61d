import type { Candidate } from "../../../candidates/candidate.ts";
import { isTitle } from "../../../candidates/names.ts";
import { currencyCode } from "../../../candidates/currencies.ts";
import type { Context } from "../../../context.ts";
import { fold } from "../../../fold.ts";
import type { LabelHit } from "../../../labels.ts";
import type { Cell } from "../../../layout/layout.ts";
import type { Kind } from "../../../lexicon/concept.ts";
import { horizontalOverlap } from "../../../layout/rectangle.ts";
import { printed, type Span } from "../../../layout/span.ts";

/** A candidate that belongs to a label, with its proximity to the label from 0 to 1. */
export interface LabeledCandidate {
  readonly candidate: Candidate;
  readonly proximity: number;
}

const ROWS_BELOW = 3;
/** The number of candidates after a label that are considered. */
const MAX_BESIDE = 12;

/**
 * Finds the candidates of a kind that belong to a label: after it on its line, or else below it. Words, other labels and other cells in
 * between lower the proximity.
 */
export function findLabeledCandidates(hit: LabelHit, kind: Kind, context: Context): LabeledCandidate[] {
  const adjacentRows =
    kind === "text" || kind === "name" ? textBeside(hit, context) : candidatesBeside(hit, kind, context);
  if (adjacentRows.some((each) => each.proximity > 0.6)) return adjacentRows;
  const below = kind === "text" || kind === "name" ? textBelow(hit, context) : candidatesBelow(hit, kind, context);
  return [...adjacentRows, ...below];
}

/** Finds the cells directly below a cell within some rows, by their boxes, or else by their position in the row. */
export function cellsBelow(cell: Cell, context: Context, rows: number): Cell[] {
  const found: Cell[] = [];
  for (let index = cell.row + 1; index <= cell.row + rows; index += 1) {
    const row = context.layout.rows[index];
    if (!row || row.page !== cell.page) break;
    const below = row.cells.find((other) => isBelow(cell, other, context.layout.rows[cell.row]?.cells.length ?? 1));
    if (below) found.push(below);
  }
  return found;
}

function isBelow(upper: Cell, lower: Cell, cellsBeside: number): boolean {
  if (upper.box && lower.box) {
    const near = lower.box.y0 - upper.box.y1 < 6 * (upper.box.y1 - upper.box.y0);
    return near && (horizontalOverlap(upper.box, lower.box) > 0.3 || Math.abs(upper.box.x0 - lower.box.x0) < 0.01);
  }
  return lower.column === (cellsBeside === 1 ? 0 : upper.column);
}

function candidatesBeside(hit: LabelHit, kind: Kind, context: Context): LabeledCandidate[] {
  const found: LabeledCandidate[] = [];
  let factor = 1;
  const others = (context.hits[hit.cell.row] ?? []).filter((other) => other !== hit && other.prominence > 0.5);
  for (const cell of [hit.cell, ...cellsRight(hit.cell, context)]) {
    const from = cell === hit.cell ? hit.end : 0;
    if (found.length >= MAX_BESIDE) break;
    const candidates = context
      .candidates(kind, cell)
      .filter((candidate) => candidate.spans[0].start >= from)
      .slice(0, MAX_BESIDE);
    let position = from;
    for (const candidate of candidates) {
      const span = candidate.spans[0];
      const between = others.some((other) => other.cell === cell && other.start >= from && other.end <= span.start);
      const gap = cell.text.slice(position, span.start);
      const bracketFactor = kind === "identifier" && /\(\s*$/u.test(gap) && cell.text[span.end] === ")" ? 0.5 : 1;
      const rowFactor = cell.row === hit.cell.row ? 1 : 0.85;
      found.push({
        candidate,
        proximity: factor * gapFactor(gap, kind) * bracketFactor * rowFactor * (between ? 0.3 : 1),
      });
      if (bracketFactor === 1) factor *= kind === "money" ? 0.9 : 0.7;
      position = span.end;
    }
    if (cell === hit.cell) continue;
    if (others.some((other) => other.cell === cell && other.start === 0)) factor *= 0.35;
    else if (candidates.length === 0 && /\p{L}{3,}/u.test(cell.text) && !currencyCode(cell.text)) factor *= 0.6;
  }
  return found;
}

/** Finds the cells to the right of a cell: in its row, and in adjacent rows at the same height if they are tilted. */
function cellsRight(cell: Cell, context: Context): Cell[] {
  const { rows } = context.layout;
  const own = rows[cell.row]?.cells.slice(cell.column + 1) ?? [];
  const box = cell.box;
  if (!box) return own;
  const adjacentRows = [rows[cell.row - 1], rows[cell.row + 1]].flatMap((row) =>
    row?.page === cell.page ? row.cells : [],
  );
  const level = adjacentRows.filter((other) => {
    if (!other.box || other.box.x0 < box.x1) return false;
    const shared = Math.min(box.y1, other.box.y1) - Math.max(box.y0, other.box.y0);
    return shared > 0.42 * Math.min(box.y1 - box.y0, other.box.y1 - other.box.y0);
  });
  return level.length === 0 ? own : [...own, ...level].sort((one, other) => (one.box?.x0 ?? 0) - (other.box?.x0 ?? 0));
}

/** Returns the factor for words between a label and its value. Only "no." and the like may be between a label and an identifier. */
function gapFactor(gap: string, kind: Kind): number {
  const words = fold(gap).match(/[\p{L}\d]+/gu) ?? [];
  const unexpected = words.filter(
    (word) =>
      !/^(?:nr|no|n|num|numero|number|nummer|id|code|in|eur|usd|rm|vom|von|du|of|am|the|is|to|be|le|on|inc|incl)$/u.test(
        word,
      ),
  );
  if (kind === "identifier") return unexpected.length > 0 ? 0.25 : 1;
  // "Total 0% supplies" is a different sum than "total".
  if (kind === "money" && unexpected.length > 0) return Math.max(0.35, 0.7 - 0.1 * unexpected.length);
  return Math.max(0.35, 1 - 0.12 * unexpected.length);
}

function candidatesBelow(hit: LabelHit, kind: Kind, context: Context): LabeledCandidate[] {
  const row = context.hits[hit.cell.row] ?? [];
  const header = row.length >= 3 ? 0.7 : 1;
  const title = isTitle(hit.cell.text.slice(hit.start, hit.end)) ? 0.5 : 1;
  if (hit.cell.text.slice(hit.end).replace(/[^\p{L}\d]/gu, "").length > 12) return [];
  const found: LabeledCandidate[] = [];
  cellsBelow(hit.cell, context, ROWS_BELOW).forEach((cell, distance) => {
    const labeled = (context.hits[cell.row] ?? []).some((other) => other.cell === cell && other.prominence > 0.8);
    for (const candidate of context.candidates(kind, cell).slice(0, 3)) {
      const lead = gapFactor(cell.text.slice(0, candidate.spans[0].start), kind);
      found.push({
        candidate,
        proximity: 0.85 * 0.82 ** distance * lead * header * title * (labeled ? 0.4 : 1),
      });
    }
  });
  return found;
}

function textBeside(hit: LabelHit, context: Context): LabeledCandidate[] {
  const rest = trimmedSpan(hit.cell, hit.end, nextLabel(hit, context));
  const colon = /^[^\p{L}\d]{0,3}[:=]/u.test(hit.cell.text.slice(hit.end));
  if (rest) return [toLabeledCandidate(rest, colon ? 1 : hit.start === 0 ? 0.55 : 0.4)];
  const row = context.layout.rows[hit.cell.row];
  for (const next of row?.cells.slice(hit.cell.column + 1, hit.cell.column + 3) ?? []) {
    const label = (context.hits[hit.cell.row] ?? []).find((other) => other.cell === next && other.prominence > 0.8);
    if (label && label.start === 0) return [];
    const value = trimmedSpan(next, 0, label?.start ?? next.text.length);
    if (value) return [toLabeledCandidate(value, 0.95)];
  }
  return [];
}

function textBelow(hit: LabelHit, context: Context): LabeledCandidate[] {
  const found: LabeledCandidate[] = [];
  cellsBelow(hit.cell, context, ROWS_BELOW).forEach((cell, distance) => {
    const label = (context.hits[cell.row] ?? []).find((other) => other.cell === cell && other.prominence > 0.8);
    if (label?.start === 0 || found.length > 0) return;
    const value = trimmedSpan(cell, 0, label?.start ?? cell.text.length);
    if (value) found.push(toLabeledCandidate(value, 0.75 * 0.8 ** distance));
  });
  return found;
}

function nextLabel(hit: LabelHit, context: Context): number {
  const next = (context.hits[hit.cell.row] ?? []).find(
    (other) =>
      other.cell === hit.cell && other.start >= hit.end && /^[^\p{L}\d]{0,2}:/u.test(other.cell.text.slice(other.end)),
  );
  return next?.start ?? hit.cell.text.length;
}

/** Trims the separators between a label and its value from a part of a cell. Returns undefined if nothing remains. */
export function trimmedSpan(cell: Cell, from: number, to: number): Span | undefined {
  const text = cell.text.slice(from, to);
  const lead = /^[\s:;=.#*_|–—-]*/u.exec(text)?.[0].length ?? 0;
  const tail = /[\s:;|_*]*$/u.exec(text.slice(lead))?.[0].length ?? 0;
  const start = from + lead;
  const end = to - tail;
  return end > start && /[\p{L}\d]/u.test(cell.text.slice(start, end)) ? { cell, start, end } : undefined;
}

function toLabeledCandidate(span: Span, proximity: number): LabeledCandidate {
  return { candidate: { spans: [span], value: printed(span), shape: 0.8 }, proximity };
}
