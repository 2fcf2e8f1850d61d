import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { trimmedSpan } from "../fields/association.ts";
import { isTitle } from "../../../candidates/names.ts";
import type { Candidate } from "../../../candidates/candidate.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { scoredFor } from "../fields/fields.ts";
import { collapse } from "../../../fold.ts";
import { horizontalOverlap } from "../../../layout/rectangle.ts";
import type { Cell } from "../../../layout/layout.ts";
import type { Kind } from "../../../lexicon/concept.ts";
import { printed, type Span } from "../../../layout/span.ts";

/** A candidate with the score of the rules, which is 0 for candidates that the rules do not consider. */
export interface RuledCandidate {
  readonly candidate: Candidate;
  readonly rule: number;
}

/** The kinds of text without a form of their own. Their candidates are spans of lines. */
const SPANS: Partial<Record<Kind, { rows: number; lines: number }>> = {
  name: { rows: 14, lines: 3 },
  address: { rows: 18, lines: 7 },
};
const OTHER_TEXT = { rows: 60, lines: 2 };
/** The maximum number of candidates of a document for a column. */
const MAX_CANDIDATES = 240;

/** Whether columns of a field can be learned: choices among given values are left to the rules. */
export function isLearnable(field: Field): boolean {
  return field.column.type !== ColumnType.BOOLEAN && field.column.type !== ColumnType.ENUM && field.kind !== "currency";
}

/**
 * Finds the candidates of a document for a field of its primary table: those of the rules, all of the field's kind, and for names, addresses
 * and other texts the spans of lines at the head. Never throws, and returns at most 240.
 */
export function findCandidates(field: Field, context: Context): RuledCandidate[] {
  const found = new Map<string, RuledCandidate>();
  const add = (candidate: Candidate, rule: number): void => {
    const key = `${candidate.spans.map(({ cell, start, end }) => `${cell.row}:${cell.column}:${start}-${end}`).join()}=${candidate.value}`;
    const known = found.get(key);
    if (known === undefined ? found.size < MAX_CANDIDATES : rule > known.rule) found.set(key, { candidate, rule });
  };
  const ruled = [...scoredFor(field, context)].sort((one, other) => other.score - one.score);
  for (const { candidate, score } of ruled.slice(0, MAX_CANDIDATES / 2)) add(candidate, score);
  const cells = context.layout.cells;
  if (hasForm(field.kind)) {
    const typed = cells.flatMap((cell) => context.candidates(field.kind, cell));
    const half = MAX_CANDIDATES / 4;
    for (const candidate of typed.length > 2 * half ? [...typed.slice(0, half), ...typed.slice(-half)] : typed)
      add(candidate, 0);
  } else for (const candidate of spansOf(field, context)) add(candidate, 0);
  return [...found.values()];
}

function hasForm(kind: Kind): boolean {
  return !["name", "address", "text", "duration", "jurisdiction", "currency"].includes(kind);
}

function* spansOf(field: Field, context: Context): Generator<Candidate> {
  const { rows, lines } = SPANS[field.kind] ?? OTHER_TEXT;
  for (const cell of context.layout.cells) {
    if (cell.row >= rows || isOtherLabel(cell, field, context)) continue;
    for (const first of startsOf(cell, context)) {
      const spans: [Span, ...Span[]] = [first];
      yield toCandidate(spans);
      const cut = withoutBracket(spans);
      if (cut) yield cut;
      if (first.end < cell.text.trimEnd().length) continue;
      for (const next of chainBelow(cell, context, lines - 1)) {
        const span = trimmedSpan(next, 0, next.text.length);
        if (!span || isTitle(next.text) || isOtherLabel(next, field, context)) break;
        spans.push(span);
        yield toCandidate([...spans]);
        const shorter = withoutBracket(spans);
        if (shorter) yield shorter;
      }
    }
  }
}

/** Whether a cell is only a label of something other than the name or address that is looked for: "Company No." Other texts may be such words. */
function isOtherLabel({ row, column, text }: Cell, { kind, concept }: Field, context: Context): boolean {
  if (kind !== "name" && kind !== "address") return false;
  return (context.hits[row] ?? []).some(
    ({ cell, start, end, meanings }) =>
      cell.column === column &&
      !/[\p{L}\p{N}]/u.test(text.slice(0, start) + text.slice(end)) &&
      (concept === undefined || !meanings.has(concept.id)),
  );
}

/** Returns the parts of a cell at which a text can begin: the whole cell, and what follows its first label or colon. */
function startsOf(cell: Cell, context: Context): Span[] {
  const found: Span[] = [];
  const whole = trimmedSpan(cell, 0, cell.text.length);
  if (whole) found.push({ ...whole, end: cell.text.trimEnd().length });
  const label = (context.hits[cell.row] ?? []).find((hit) => hit.cell === cell && hit.start < 3);
  const colon = cell.text.indexOf(":");
  const from = label ? label.end : colon > 0 && colon < 40 ? colon + 1 : 0;
  const rest = from > 0 ? trimmedSpan(cell, from, cell.text.length) : undefined;
  if (rest && rest.start !== whole?.start) found.push(rest);
  return found;
}

/** Returns the cells below a cell, line by line, without a wide gap. */
function chainBelow(cell: Cell, context: Context, lines: number): Cell[] {
  const found: Cell[] = [];
  let last = cell;
  for (let index = cell.row + 1; found.length < lines && index <= cell.row + lines + 3; index += 1) {
    const row = context.layout.rows[index];
    if (!row || row.page !== cell.page) break;
    const next = row.cells.find((other) =>
      cell.box && other.box
        ? horizontalOverlap(cell.box, other.box) > 0.2
        : other.column === Math.min(cell.column, row.cells.length - 1),
    );
    if (!next) continue;
    if (last.box && next.box && next.box.y0 - last.box.y1 > 3 * (last.box.y1 - last.box.y0)) break;
    found.push(next);
    last = next;
  }
  return found;
}

/** Returns the candidate without a text in brackets at its end; undefined if there is none. */
function withoutBracket(spans: readonly [Span, ...Span[]]): Candidate | undefined {
  const last = spans.at(-1) as Span;
  const bracket = /\s*\([^()]{3,40}\)?\.?$/u.exec(printed(last));
  if (!bracket || bracket.index < 3) return undefined;
  const shorter = { ...last, end: last.start + bracket.index };
  return toCandidate([...spans.slice(0, -1), shorter] as unknown as [Span, ...Span[]]);
}

function toCandidate(spans: readonly [Span, ...Span[]]): Candidate {
  return { spans: [...spans] as [Span, ...Span[]], value: collapse(spans.map(printed).join(" ")), shape: 1 };
}
