import { foldName } from "@switchyard/text";

const opening = /^[\s"'“”„‘’«»()[\]{}.,;:!?*_·…–—]+/u;
const closing = /[\s"'“”„‘’«»()[\]{}.,;:!?*_·…–—-]/u;
/** A hyphen before digits is a sign, and is kept. */
const leadingHyphens = /^-+(?=\D)/u;

/** Folds case and white space, and removes surrounding punctuation. Text that consists of punctuation is kept. */
export function foldText(text: string): string {
  const folded = foldName(text).replace(/\s+/gu, " ");
  const bare = folded.replace(opening, "").replace(leadingHyphens, "").replace(opening, "");
  return removeClosing(bare) || folded;
}

/** Removes punctuation at the end. A regular expression would try every run of punctuation in the text, each up to its end. */
function removeClosing(text: string): string {
  let end = text.length;
  while (end > 0 && closing.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes all characters but letters and digits. */
export function keepLettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{Nd}]/gu, "");
}

/**
 * Whether two texts are the same identifier with different grouping, such as an IBAN, a VAT ID or an invoice number. Both must look like
 * identifiers, and be equal without white space, or one must have no separators and the same letters and digits as the other.
 */
export function isSameIdentifier(one: string, other: string): boolean {
  if (!looksLikeIdentifier(one) || !looksLikeIdentifier(other)) return false;
  const compact = [one, other].map((text) => text.toUpperCase().replace(/\s+/gu, ""));
  const bare = compact.map(keepLettersAndDigits);
  return compact[0] === compact[1] || (bare[0] === bare[1] && (bare[0] === compact[0] || bare[1] === compact[1]));
}

/** Whether a text has at least six letters and digits, half of them digits, no lower-case letter, and no decimal fraction at the end. */
function looksLikeIdentifier(text: string): boolean {
  if (!/^[\p{Lu}\d\s./_-]+$/u.test(text) || /[.]\d{1,2}$/u.test(text)) return false;
  const characters = keepLettersAndDigits(text).length;
  return characters >= 6 && text.replace(/\D/gu, "").length * 2 >= characters;
}
