import { trimmedSpan } from "./association.ts";
import { addressShape, endsAddress, endsWithCountry, findAddressEnd } from "../../../candidates/addresses.ts";
import type { Candidate } from "../../../candidates/candidate.ts";
import { endsWithLegalForm, isTitle, nameShape } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import { collapse } from "../../../fold.ts";
import { findHits } from "./labeled.ts";
import type { Cell } from "../../../layout/layout.ts";
import { horizontalOverlap } from "../../../layout/rectangle.ts";
import { headCells, PARTS } from "./organizations.ts";
import type { Scored } from "./scoring.ts";
import { printed, type Span } from "../../../layout/span.ts";

/** Finds addresses: after their labels, with the following lines, and below the given name. */
export function findAddresses(context: Context, keys: readonly string[], owner: Candidate | undefined): Scored[] {
  const found: Scored[] = [];
  for (const { hit, weight } of findHits(context, keys)) {
    const rest = trimmedSpan(hit.cell, hit.end, hit.cell.text.length);
    const beside = context.layout.rows[hit.cell.row]?.cells[hit.cell.column + 1];
    const first = rest ?? (beside ? trimmedSpan(beside, 0, beside.text.length) : undefined);
    const lines = first ? [first, ...continued(first.cell, context)] : continued(hit.cell, context);
    const candidate = toAddress(lines);
    if (candidate)
      found.push({ candidate, score: weight * hit.prominence * (0.35 + 0.6 * candidate.shape) - 0.001 * hit.cell.row });
  }
  if (owner) {
    const span = owner.spans[0];
    const rest = span.cell.text.slice(span.end);
    if (PARTS.test(rest.slice(0, 4))) {
      const from = span.end + (PARTS.exec(rest)?.[0].length ?? 0);
      const candidate = toAddress([{ cell: span.cell, start: from, end: span.cell.text.length }]);
      if (candidate) found.push({ candidate, score: 0.3 + 0.35 * candidate.shape });
    }
    const last = owner.spans.at(-1) ?? span;
    const candidate = toAddress(continued(last.cell, context));
    if (candidate) found.push({ candidate, score: 0.35 + 0.4 * candidate.shape });
    // The owner of a shop may be named below the address: "CORNER SHOP" / "1 High Street" / "Owned by: Smith Ltd".
    const head = headCells(context).find((cell) => nameShape(cell.text) >= 0.3);
    const above = head && head.row < span.cell.row ? toAddress(continued(head, context)) : undefined;
    if (above) found.push({ candidate: above, score: 0.3 + 0.35 * above.shape });
  }
  return found;
}

/** An amount of money at the end of a line, which is a sum or an item. */
const AMOUNT_AT_END = /(?:^|\s)\d[\d.,]*[.,]\d{2}\W*$/u;

/** Returns the lines of an address below a cell, without other lines. */
function continued(cell: Cell, context: Context): Span[] {
  const lines: Span[] = [];
  let skipped = 0;
  for (const next of below(cell, context)) {
    const span = trimmedSpan(next, 0, next.text.length);
    if (!span || isTitle(next.text)) break;
    const text = printed(span);
    const shape = addressShape(text);
    const ends = endsAddress(text);
    const named = endsWithLegalForm(text);
    if (lines.length === 0 && (shape < 0.3 || ends || named || isCode(text) || isRegistration(text))) {
      skipped += 1;
      if (skipped > 5 || /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/u.test(text)) break;
      continue;
    }
    // Nothing of an address follows its country; a line in brackets does.
    if (endsWithCountry(lines.length > 0 ? printed(lines.at(-1) as Span) : "") && !text.startsWith("(")) break;
    if (named || AMOUNT_AT_END.test(text)) break;
    // The place may be below its postcode.
    const isPlace = lines.length > 0 && /(?<!\d)\d{5}\W*$/u.test(printed(lines.at(-1) as Span));
    const short = isPlace || text.split(/\s+/u).length <= 4 || endsWithCountry(text);
    const plain = !/\d/u.test(text) && short && !text.includes(":");
    const code = isCode(text) && text.replace(/\D/gu, "").length > 6;
    if (ends) {
      // "81750 Johor Bahru, Tel. 07-387 3322"
      const start = findAddressEnd(text);
      const part = addressShape(text.slice(0, start)) >= 0.3 ? trimmedSpan(next, 0, span.start + start) : undefined;
      if (part) lines.push(part);
      break;
    }
    if (code || (shape < 0.15 && !plain)) break;
    lines.push(span);
    if (lines.length >= 7) break;
  }
  return lines;
}

/** Whether a line has a number in brackets and hardly anything else: "(NO. 193573-M)", "BR NO. (124525-H)". */
function isRegistration(text: string): boolean {
  const inside = /\((?=[^()]*\d{4})[^()]*\)+/u.exec(text)?.[0] ?? "";
  return inside !== "" && text.replace(inside, "").replace(/[^\p{L}\d]/gu, "").length <= 6;
}

/** Whether a line is only a number, such as a registration or telephone number, with hardly any letters. */
function isCode(text: string): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  return words.length === 0 && text.replace(/\D/gu, "").length >= 5;
}

function below(cell: Cell, context: Context): Cell[] {
  const found: Cell[] = [];
  let last = cell;
  for (let index = cell.row + 1; index < cell.row + 11; index += 1) {
    const row = context.layout.rows[index];
    if (!row || row.page !== cell.page) break;
    const next = row.cells.find((other) => {
      if (!cell.box || !other.box) return other.column === Math.min(cell.column, row.cells.length - 1);
      return horizontalOverlap(cell.box, other.box) > 0.2;
    });
    if (!next) continue;
    if (last.box && next.box && next.box.y0 - last.box.y1 > 3 * (last.box.y1 - last.box.y0)) break;
    found.push(next);
    last = next;
  }
  return found;
}

function toAddress(lines: readonly Span[]): Candidate | undefined {
  const [first, ...rest] = lines;
  if (!first) return undefined;
  const value = collapse(lines.map(printed).join(" "));
  if (value.length > 300) return undefined;
  return { spans: [first, ...rest], value, shape: addressShape(value) };
}
