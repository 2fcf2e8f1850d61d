import { fold } from "@switchyard/text";
import { STOP_WORDS } from "../../scoring/stop-words.ts";

/** The letters that a passage must have in words that say something, so that nobody finds it by chance. */
const MIN_LETTERS = 4;
/** A number with its marks, a character of a script without spaces, or the letters of a word. */
const WORD =
  /\p{Nd}(?:[.,'’:/-](?=\p{Nd})|\p{Nd})*|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}])\p{L})+/gu;

/**
 * Returns the quotes that a text contains. Case, accents, spaces, line breaks and punctuation do not count, but words must be whole, and numbers
 * the same: "12" is not in "12.50". Function words, numbers and fewer than four letters of other words say nothing about the kind of a document,
 * and are not found.
 */
export function findQuotes(quotes: readonly string[], text: string): string[] {
  const printed = join(toWords(text));
  return quotes.filter((quote) => {
    const words = toWords(quote);
    // The last word of a quote that was cut off may be half a word.
    if (quote.endsWith("…") && words.length > 1) words.pop();
    return countLetters(words) >= MIN_LETTERS && printed.includes(join(words));
  });
}

function toWords(text: string): string[] {
  return fold(text).match(WORD) ?? [];
}

function join(words: readonly string[]): string {
  return ` ${words.join(" ")} `;
}

/** An ideograph counts like two letters. */
function countLetters(words: readonly string[]): number {
  return words
    .filter((word) => !STOP_WORDS.has(word))
    .reduce((sum, word) => sum + (/\p{Script=Han}/u.test(word) ? 2 : (word.match(/\p{L}/gu)?.length ?? 0)), 0);
}
