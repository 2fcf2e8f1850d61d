import { tokenize } from "../fold.ts";

const YES: ReadonlySet<string> = new Set(
  "yes y true ja wahr oui vrai si x checked enthalten included inclus 1".split(" "),
);
const NO: ReadonlySet<string> = new Set("no n false nein falsch non faux unchecked 0 none keine kein aucun".split(" "));

/**
 * Parses the first word or mark of a text as a Boolean: yes, ja, oui, a ticked box, or their opposites. Returns undefined if there is none.
 */
export function parseBoolean(text: string): { value: boolean; start: number; end: number } | undefined {
  const mark = /[☑☒✓✔✗✘☐□]|\[ ?\]|\[[xX]\]/u.exec(text.slice(0, 40));
  if (mark) {
    const value = !/[☐□✗✘]|\[ ?\]/u.test(mark[0]);
    return { value, start: mark.index, end: mark.index + mark[0].length };
  }
  const token = tokenize(text.slice(0, 40))[0];
  if (!token) return undefined;
  if (YES.has(token.text)) return { value: true, start: token.start, end: token.end };
  if (NO.has(token.text)) return { value: false, start: token.start, end: token.end };
  return undefined;
}

/**
 * Finds the first of the given values that a text contains as whole words, ignoring case and trying longer values first. Of values that differ
 * only in case, the one that the text has is preferred. Positions refer to the given text.
 */
export function valueIn(
  text: string,
  values: readonly string[],
): { value: string; start: number; end: number } | undefined {
  const tokens = tokenize(text);
  const wanted = values
    .map((value) => ({ value, words: tokenize(value.replaceAll("_", " ")).map((token) => token.text) }))
    .filter((each) => each.words.length > 0)
    .sort((one, other) => other.words.length - one.words.length);
  for (let first = 0; first < tokens.length; first += 1) {
    const found = wanted.filter(({ words }) => words.every((word, index) => tokens[first + index]?.text === word));
    const [longest] = found;
    if (longest === undefined) continue;
    const start = tokens[first]?.start ?? 0;
    const end = tokens[first + longest.words.length - 1]?.end ?? start;
    const { value } = found.find((each) => each.value === text.slice(start, end)) ?? longest;
    return { value, start, end };
  }
  return undefined;
}
