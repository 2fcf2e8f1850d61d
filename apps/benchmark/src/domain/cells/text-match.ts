import { foldName } from "@switchyard/text";

const opening = /^[\s"'“”„‘’«»()[\]{}.,;:!?*_·…–—]+/u;
const closing = /[\s"'“”„‘’«»()[\]{}.,;:!?*_·…–—-]+$/u;
/** The hyphen before digits is a sign, and stays. */
const leadingHyphens = /^-+(?=\D)/u;

/** A text without difference of case, white space or punctuation around it. What is punctuation only stays as it is. */
export function foldedText(text: string): string {
  const folded = foldName(text).replace(/\s+/gu, " ");
  const bare = folded.replace(opening, "").replace(leadingHyphens, "").replace(opening, "").replace(closing, "");
  return bare === "" ? folded : bare;
}

/** The letters and digits of a text, in its own case. */
export function lettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{Nd}]/gu, "");
}

/**
 * Whether two texts are one identifier, as an IBAN, a VAT id or the number of an invoice, whose printed groups differ: both look like
 * identifiers, and without blanks they are the same, or one is written without any separator and has the other's letters and digits.
 */
export function sameIdentifier(one: string, other: string): boolean {
  if (!looksLikeIdentifier(one) || !looksLikeIdentifier(other)) return false;
  const close = [one, other].map((text) => text.toUpperCase().replace(/\s+/gu, ""));
  const bare = close.map(lettersAndDigits);
  return close[0] === close[1] || (bare[0] === bare[1] && (bare[0] === close[0] || bare[1] === close[1]));
}

/** Six letters and digits or more, at least half of them digits, no lower-case letter, and no decimal fraction at the end. */
function looksLikeIdentifier(text: string): boolean {
  if (!/^[\p{Lu}\d\s./_-]+$/u.test(text) || /[.]\d{1,2}$/u.test(text)) return false;
  const characters = lettersAndDigits(text).length;
  return characters >= 6 && text.replace(/\D/gu, "").length * 2 >= characters;
}
