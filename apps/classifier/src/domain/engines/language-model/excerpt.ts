const MAX_START_CHARACTERS = 6_000;
const MAX_TITLE_CHARACTERS = 1_000;
const MAX_TITLE_LENGTH = 80;
const MAX_TITLE_WORDS = 10;
/** The number of characters within which a line of a long excerpt must end. Longer than any title. */
const MAX_LINE_CHARACTERS = 1_000;
const SEPARATOR = "\n[...]\n";

/** The maximum length of an excerpt. The longest one is its own excerpt. */
export const MAX_EXCERPT_CHARACTERS = MAX_START_CHARACTERS + SEPARATOR.length + MAX_TITLE_CHARACTERS;

/**
 * Returns what a language model sees of a document, 1,500 to 2,000 tokens: its beginning, and the lines of the rest that look like titles.
 * The excerpt of an excerpt is the excerpt itself.
 */
export function toExcerpt(text: string): string {
  if (text.length <= MAX_EXCERPT_CHARACTERS) return text;
  const start = cut(text, MAX_START_CHARACTERS);
  return addTitles(start, findTitles(text.slice(start.length)));
}

/**
 * Returns at least the first `length` characters of a document, which are not fewer than those of an excerpt, and the titles of its excerpt.
 * Its excerpt is that of the document.
 */
export function toLongExcerpt(text: string, length: number): string {
  if (text.length <= length + MAX_LINE_CHARACTERS) return text;
  // A part of a line could look like a title. A long one cannot.
  const end = text.slice(0, length + MAX_LINE_CHARACTERS).indexOf("\n", length);
  const start = end < 0 ? cut(text, length + MAX_LINE_CHARACTERS) : text.slice(0, end);
  return addTitles(start, findTitles(text.slice(cut(text, MAX_START_CHARACTERS).length)));
}

function addTitles(start: string, titles: readonly string[]): string {
  return titles.length === 0 ? start : start + SEPARATOR + titles.join("\n");
}

/** Returns the first lines that look like titles, without repetitions. */
function findTitles(text: string): string[] {
  const titles: string[] = [];
  let left = MAX_TITLE_CHARACTERS;
  for (const line of text.split("\n")) {
    const title = line.trim();
    if (!isTitle(title) || titles.includes(title)) continue;
    left -= title.length + 1;
    if (left < 0) break;
    titles.push(title);
  }
  return titles;
}

/** A title is short, has mostly letters, begins like a title, and does not end like a sentence or a label. */
function isTitle(line: string): boolean {
  if (line.length < 4 || line.length > MAX_TITLE_LENGTH || /[.,;:]$/u.test(line)) return false;
  if (!/^(?:\d+(?:\.\d+)*\.?\s+|[A-Z]\.\s+|[IVX]+\.\s+)?\p{Lu}/u.test(line)) return false;
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  return letters >= 0.7 * line.replaceAll(/\s/g, "").length && line.split(/\s+/).length <= MAX_TITLE_WORDS;
}

/** Returns the first characters of a text, without half of a surrogate pair. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}
