import { fold } from "@switchyard/text";

export { fold };

/** A word of a text: its folded characters and where it stands there, in UTF-16 units. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The runs of letters and digits of a text, folded, with their places in the text as given. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    tokens.push({ text: fold(match[0]), start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** The letters and digits of a text, folded and joined: "Sub-Total:" and "SUBTOTAL" are both "subtotal". */
export function joined(text: string): string {
  return tokenize(text)
    .map((token) => token.text)
    .join("");
}

/** Trims a text and makes every run of white space in it one blank. */
export function collapse(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** The words of a slug such as "invoice_number", as a phrase. */
export function slugPhrase(slug: string): string {
  return slug.replaceAll("_", " ");
}
