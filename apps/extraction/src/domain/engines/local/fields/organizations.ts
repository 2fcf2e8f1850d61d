import { cellsBelow, trimmedSpan } from "./association.ts";
import { addressShape } from "../../../candidates/addresses.ts";
import type { Candidate } from "../../../candidates/candidate.ts";
import {
  continuesName,
  endsWithinLegalForm,
  hasLegalForm,
  hasOrganizationWord,
  isTitle,
  nameShape,
  onlyLegalForm,
} from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import { collapse, joined } from "../../../fold.ts";
import { findHits, labeled } from "./labeled.ts";
import type { LabelHit } from "../../../labels.ts";
import type { Cell } from "../../../layout/layout.ts";
import { choose, type Scored } from "./scoring.ts";
import { printed, type Span } from "../../../layout/span.ts";
import { completeName } from "./two-line-names.ts";

const HEAD_ROWS = 16;
const BLOCK_ROWS = 8;
/** The first line of some addresses. */
const SALUTATION = /^(?:herrn?|frau|firma|mr|mrs|ms|m|mme|monsieur|madame)\.?$/iu;
const NAME_LABEL = /^(?:name|firma|firmenname|nom|raison sociale|company|company name)\s*:/iu;
/** What separates the parts of a sender line such as "Smith Ltd - 1 High Street - London". */
export const PARTS = /\s[●•|·–]\s|\s{1,2}-\s/u;

/** Finds candidates for the issuer of the document: by label, in the block below a label, or at the head of the first page. */
export function findSellers(context: Context, keys: readonly string[]): Scored[] {
  const buyers = blockCells(context, ["buyer", "ship-to"]);
  // "Firma" alone above a name is how a letter addresses a company.
  const isAddressed = ({ cell }: LabelHit, { spans: [{ cell: named }] }: Candidate): boolean =>
    SALUTATION.test(cell.text.trim()) && named.row > cell.row;
  const found = [...labeled(context, keys, "name", isAddressed), ...blocks(context, keys)];
  found.push(...findLetterheads(context, buyers));
  return found.map(({ candidate, score }) => ({
    candidate: withoutRegistration(completeName(candidate, context)),
    score,
  }));
}

/**
 * Finds names at the head of the first page. Names score higher if they are earlier, larger, have a legal form, or resemble the web and
 * e-mail addresses of the document.
 */
function findLetterheads(context: Context, buyers: ReadonlySet<Cell>): Scored[] {
  const found: Scored[] = [];
  const domains = findDomains(context, buyers);
  let rank = 0;
  for (const cell of headCells(context)) {
    const { spans, value } = withoutRegistration(named(nameSpans(cell, context)));
    const text = String(value);
    const likeAddress = addressShape(text);
    const shape = nameShape(text) * (1 - 0.6 * likeAddress);
    if (shape < 0.3 || continuesName(cell.text) || isLabel(cell, context) || (cell.box && cell.box.y0 > 0.5)) continue;
    const isOrganization = likeAddress < 0.5 && (hasLegalForm(text) || hasOrganizationWord(text));
    let score = 0.28 + (isOrganization ? 0.2 : 0) + 0.2 * 0.75 ** rank;
    if (cell.box && cell.box.y1 - cell.box.y0 > 1.25 * context.layout.height) score += 0.08;
    if (matchesDomain(text, domains)) score += 0.2;
    if (repeats(printed(spans[0]), context)) score += 0.06;
    if (buyers.has(cell)) score *= 0.4;
    rank += 1;
    found.push({ candidate: { spans, value, shape }, score: score * (0.5 + 0.5 * shape) });
  }
  return found;
}

/** Returns the cells at the head of the document; for a mail with attachments, those at the heads of the attachments. */
export function headCells(context: Context): Cell[] {
  const { heads, rows } = context.layout;
  const [first = 0, ...attached] = heads;
  const mail = (context.hits[first] ?? []).some((hit) => hit.start === 0 && hit.meanings.has("email-from"));
  return (mail && attached.length > 0 ? attached : [first]).flatMap((head) =>
    rows
      .slice(head, head + HEAD_ROWS)
      .filter((row) => row.page === rows[head]?.page)
      .flatMap((row) => row.cells),
  );
}

/** Extends a name by the line below if it clearly continues there: after "&", or if that line is only a legal form. */
function nameSpans(cell: Cell, context: Context): readonly [Span, ...Span[]] {
  const spans: [Span, ...Span[]] = [nameSpan(cell)];
  if (spans[0].end < cell.text.length) return spans;
  for (const next of cellsBelow(cell, context, 2)) {
    const text = spans.map(printed).join(" ");
    const bracket = text.lastIndexOf("(") > text.lastIndexOf(")");
    const open =
      (/(?:&|,|\band|\bund|\bet)$/iu.test(text.trim()) &&
        nameShape(`${text} Co`) > 0.3 &&
        nameShape(next.text) > 0.3) ||
      (next.text.startsWith("& ") && !hasLegalForm(text));
    // "Company No." is not a legal form.
    const form =
      onlyLegalForm(next.text) && !isLabel(next, context) && (!hasLegalForm(text) || endsWithinLegalForm(text));
    const cut = startsCut(next.text) && !/\d/u.test(text);
    if (isTitle(text) || !(bracket || open || form || cut)) break;
    spans.push({ cell: next, start: 0, end: next.text.length });
  }
  return spans;
}

/** Whether a line closes a bracket that it did not open, or begins with the end of a name and an open bracket. */
function startsCut(text: string): boolean {
  const opens = text.indexOf("(");
  const closes = text.indexOf(")");
  return (
    (closes >= 0 && (opens < 0 || closes < opens)) || (opens >= 0 && closes < 0 && onlyLegalForm(text.slice(0, opens)))
  );
}

function named(spans: readonly [Span, ...Span[]]): Candidate {
  return { spans, value: collapse(spans.map(printed).join(" ")), shape: 1 };
}

/** Removes a registration number from the end of a name: in brackets, or as "862725-U" with or without a branch in brackets. */
function withoutRegistration(candidate: Candidate): Candidate {
  const number = /(?:\s*\([^()]{0,12}\d{3}[^()]{0,20}\)?|\s\d{5,8}-\p{Lu}(?:\s\([^()]{2,6}\))?)\.?$/u.exec(
    String(candidate.value),
  );
  const last = candidate.spans.at(-1);
  if (!number || !last || number.index < 3 || last.end - last.start <= number[0].length) return candidate;
  const shorter = { ...last, end: last.end - number[0].length };
  const [first, ...rest] = [...candidate.spans.slice(0, -1), shorter];
  return first
    ? { ...candidate, spans: [first, ...rest], value: String(candidate.value).slice(0, number.index) }
    : candidate;
}

/** Whether a cell is a label: alone, before a colon, or a large part of the cell. */
function isLabel(cell: Cell, context: Context): boolean {
  const label = (context.hits[cell.row] ?? []).find(
    (hit) => hit.cell === cell && hit.start < 2 && hit.prominence > 0.6,
  );
  if (!label || label.meanings.has("seller")) return Boolean(label && label.end >= cell.text.trimEnd().length - 1);
  const rest = cell.text.slice(label.end);
  return /^\s*[:#]/u.test(rest) || rest.replace(/[^\p{L}\d]/gu, "").length < 3;
}

/** Finds candidates for the buyer: an addressee with a label, or the one in the window of a letter. */
export function findBuyers(context: Context, keys: readonly string[]): Scored[] {
  return [...findAddressees(context, keys), ...findWindowAddressees(context)];
}

/** Finds candidates for the addressee of a document: by label, or in the block below a label. */
export function findAddressees(context: Context, keys: readonly string[]): Scored[] {
  return [...labeled(context, keys, "name"), ...blocks(context, keys)];
}

/** A line that begins with a postcode and a place: "69001 Lyon", "D-12345 Stadthausen". */
const PLACE = /^(?:\p{Lu}{1,2}[- ])?\d{4,5}\s+\p{Lu}/u;

/**
 * Finds the addressee of a letter without a label, by the form of the block at the head of the first page: a name, one to four
 * lines, and a line with postcode and place. The block of the issuer does not count.
 */
function findWindowAddressees(context: Context): Scored[] {
  const seller = choose(findSellers(context, ["seller"]))?.candidate;
  const [span] = seller?.spans ?? [];
  const issuer = seller ? joined(String(seller.value)) : "";
  const isIssuer = (text: string): boolean => {
    const letters = joined(text);
    return issuer !== "" && (letters.includes(issuer) || issuer.includes(letters));
  };
  // Below a line with the issuer's whole address, another block begins.
  const owned = new Set(span && !PARTS.test(span.cell.text) ? cellsBelow(span.cell, context, 6) : []);
  const found: Scored[] = [];
  for (const cell of headCells(context)) {
    const name = trimmedSpan(cell, 0, cell.text.length);
    const text = name ? printed(name) : "";
    if (!name || owned.has(cell) || isIssuer(text) || isLabel(cell, context) || /[\d@:]/u.test(text)) continue;
    const shape = nameShape(text);
    if (shape < 0.3 || addressShape(text) > 0.4 || SALUTATION.test(text)) continue;
    const lines = cellsBelow(cell, context, 5).map((below) => below.text.trim());
    const place = lines.findIndex((line) => PLACE.test(line));
    if (place < 1 || lines.slice(0, place).some(isIssuer)) continue;
    found.push({ candidate: { spans: [name], value: text, shape }, score: 0.45 - 0.03 * found.length });
  }
  return found;
}

/** Finds the first name in the block below a label that is alone in its cell. A line "Name:" in the block takes precedence. */
function blocks(context: Context, keys: readonly string[]): Scored[] {
  const found: Scored[] = [];
  for (const { hit, weight } of findHits(context, keys)) {
    const alone = !trimmedSpan(hit.cell, hit.end, hit.cell.text.length);
    if (!alone || hit.start > 2 || SALUTATION.test(hit.cell.text.trim())) continue;
    const strength = weight * hit.prominence;
    let best: Scored | undefined;
    for (const [distance, cell] of cellsBelow(hit.cell, context, BLOCK_ROWS).entries()) {
      if (startsParty(cell, context)) break;
      if (NAME_LABEL.test(cell.text) || /^(?:name|nom|firma)\s*$/iu.test(cell.text)) {
        const beside = context.layout.rows[cell.row]?.cells[cell.column + 1];
        const span =
          trimmedSpan(cell, cell.text.indexOf(":") + 1 || cell.text.length, cell.text.length) ??
          (beside ? trimmedSpan(beside, 0, beside.text.length) : undefined);
        if (span && nameShape(printed(span)) > 0.3) {
          best = { candidate: { spans: [span], value: printed(span), shape: 1 }, score: strength };
          break;
        }
      }
      const span = trimmedSpan(cell, 0, cell.text.length);
      const shape = span ? nameShape(printed(span)) : 0;
      if (
        !span ||
        isLabel(cell, context) ||
        SALUTATION.test(printed(span)) ||
        shape < 0.45 ||
        addressShape(printed(span)) > 0.5
      )
        continue;
      const score =
        strength * (0.85 - 0.04 * distance) * (0.4 + 0.6 * shape) + (hasLegalForm(printed(span)) ? 0.06 : 0);
      if (!best || score > best.score) best = { candidate: { spans: [span], value: printed(span), shape }, score };
    }
    if (best) found.push(best);
  }
  return found;
}

function blockCells(context: Context, keys: readonly string[]): ReadonlySet<Cell> {
  const cells = new Set<Cell>();
  for (const { hit } of findHits(context, keys)) {
    if (hit.prominence < 0.6) continue;
    cells.add(hit.cell);
    for (const cell of cellsBelow(hit.cell, context, 6)) {
      if (startsParty(cell, context)) break;
      cells.add(cell);
    }
  }
  return cells;
}

function startsParty(cell: Cell, context: Context): boolean {
  return (context.hits[cell.row] ?? []).some(
    (hit) =>
      hit.cell === cell &&
      hit.start < 3 &&
      hit.prominence > 0.6 &&
      ["seller", "buyer", "ship-to"].some((key) => hit.meanings.has(key)),
  );
}

/** Returns the name in a sender line such as "Smith Ltd - 1 High Street - London", or else the whole cell. */
function nameSpan(cell: Cell): Span {
  const part = PARTS.exec(cell.text);
  return { cell, start: 0, end: part && part.index > 3 ? part.index : cell.text.length };
}

function findDomains(context: Context, buyers: ReadonlySet<Cell>): string[] {
  const domains = new Set<string>();
  for (const cell of context.layout.cells.slice(0, 2_000)) {
    if (buyers.has(cell)) continue;
    for (const candidate of [...context.candidates("email", cell), ...context.candidates("url", cell)]) {
      const host = /(?:@|:\/\/|^)(?:www\.)?([\p{L}\d.-]+)/u.exec(String(candidate.value))?.[1] ?? "";
      const name = joined(host.split(".").slice(-2)[0] ?? "");
      if (name.length >= 4) domains.add(name);
    }
  }
  return [...domains];
}

function matchesDomain(name: string, domains: readonly string[]): boolean {
  const letters = joined(name);
  const words = name
    .split(/\s+/u)
    .map(joined)
    .filter((word) => word.length >= 5);
  return domains.some((domain) => letters.includes(domain) || words.some((word) => domain.includes(word)));
}

function repeats(name: string, context: Context): boolean {
  const wanted = name.toLowerCase();
  let count = 0;
  for (const cell of context.layout.cells)
    if (cell.text.length >= wanted.length && cell.text.toLowerCase().includes(wanted)) count += 1;
  return count > 1;
}
