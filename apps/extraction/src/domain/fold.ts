import { fold } from "@switchyard/text";

export { fold };

/** A word of a text: its folded characters and its position, in UTF-16 units. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Splits a text into its folded words, which consist of letters and digits, with their positions in the given text. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    tokens.push({ text: fold(match[0]), start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** Joins the folded letters and digits of a text: "Sub-Total:" and "SUBTOTAL" both give "subtotal". */
export function joined(text: string): string {
  return tokenize(text)
    .map((token) => token.text)
    .join("");
}

/** Returns the letters and digits of a folded text. Unlike `joined`, it has those of signs, too: "℡" gives "tel". */
export function getLetters(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]/gu, "");
}

/** Trims a text and replaces each run of white space with one space. */
export function collapse(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** Converts a slug such as "invoice_number" to a phrase. */
export function slugPhrase(slug: string): string {
  return slug.replaceAll("_", " ");
}
