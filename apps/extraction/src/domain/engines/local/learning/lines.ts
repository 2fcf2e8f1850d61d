import { addressShape, endsAddress } from "../../../candidates/addresses.ts";
import { hasLegalForm, hasOrganizationWord, isTitle, nameShape } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import type { Cell } from "../../../layout/layout.ts";

/** What a line looks like. */
export interface LineFacts {
  readonly address: number;
  readonly name: number;
  readonly ends: boolean;
  readonly title: boolean;
  readonly form: boolean;
  readonly features: readonly string[];
}

/** Describes a line by its words, marks and forms. */
export function describeLine(line: string, words: readonly string[]): LineFacts {
  const address = addressShape(line);
  const name = nameShape(line);
  const ends = endsAddress(line);
  const title = isTitle(line);
  const form = hasLegalForm(line);
  const features = [
    `first:${words[0] ?? ""}`,
    `last:${words.at(-1) ?? ""}`,
    `address:${bucket(address, 0.2)}`,
    `name:${bucket(name, 0.2)}`,
    `ends:${String(ends)}`,
    `digits:${Math.min(3, Math.floor(line.replace(/\D/gu, "").length / 2))}`,
    `mark:${/[^\p{L}\p{N}\s]$/u.exec(line.trim())?.[0] ?? ""}`,
  ];
  if (form) features.push("form");
  if (hasOrganizationWord(line)) features.push("organization");
  if (title) features.push("title");
  if (/(?<!\d)\d{4,6}(?!\d)/u.test(line)) features.push("postcode");
  if (/^[^\w(]*\(.*\)[^\w)]*$/u.test(line)) features.push("brackets");
  for (const word of words.slice(0, 6)) features.push(`word:${word}`);
  return { address, name, ends, title, form, features };
}

/** Returns the folded words of a part of a cell; digits are replaced by "0", so that words with numbers have a form in common. */
export function wordsOf(cell: Cell, from = 0, to = Infinity): string[] {
  return cell.tokens
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ text }) => text.replace(/\d/gu, "0"));
}

/** Returns the cell above (-1) or below (1) a cell, at most two rows away. */
export function findBeside(cell: Cell, context: Context, step: -1 | 1): Cell | undefined {
  for (let index = cell.row + step; Math.abs(index - cell.row) <= 2; index += step) {
    const row = context.layout.rows[index];
    if (!row || row.page !== cell.page) return undefined;
    const found = row.cells.find((other) => {
      if (!cell.box || !other.box) return other.column === Math.min(cell.column, row.cells.length - 1);
      return Math.min(cell.box.x1, other.box.x1) > Math.max(cell.box.x0, other.box.x0);
    });
    if (found) return found;
  }
  return undefined;
}

/** Rounds a number to a multiple of a step, as a text. */
export function bucket(value: number, step: number): string {
  return String(Math.round(value / step));
}
