/** Longer texts are compared by this many characters; the rest of both counts as wholly different. */
const longestCompared = 10_000;
/** What is less alike than this is not alike at all, as in ANLS*. */
const cut = 0.5;

/** The characters of a text as people count them: code points, not UTF-16 units. */
export function codePoints(text: string): number[] {
  const points: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    points.push(point);
    if (point > 0xffff) index += 1;
  }
  return points;
}

/**
 * The Levenshtein distance of two sequences of code points: the least number of characters to add, drop or change.
 * Bit-parallel: Myers, "A fast bit-vector algorithm for approximate string matching", J. ACM 46(3), 1999, in blocks of 32.
 */
export function editDistance(one: readonly number[], other: readonly number[]): number {
  let start = 0;
  let oneEnd = one.length;
  let otherEnd = other.length;
  while (start < oneEnd && start < otherEnd && one[start] === other[start]) start += 1;
  while (oneEnd > start && otherEnd > start && one[oneEnd - 1] === other[otherEnd - 1]) {
    oneEnd -= 1;
    otherEnd -= 1;
  }
  if (oneEnd === start || otherEnd === start) return oneEnd - start + (otherEnd - start);
  return blockDistance(one.slice(start, oneEnd), other.slice(start, otherEnd));
}

function blockDistance(pattern: readonly number[], text: readonly number[]): number {
  // By how much the distance changes from one character of the text to the next, below the blocks done so far.
  const steps = new Int8Array(text.length).fill(1);
  let distance = pattern.length;
  for (let from = 0; from < pattern.length; from += 32) {
    const size = Math.min(32, pattern.length - from);
    const places = new Map<number, number>();
    for (let bit = 0; bit < size; bit += 1) {
      const point = pattern[from + bit] as number;
      places.set(point, (places.get(point) ?? 0) | (1 << bit));
    }
    let rises = -1;
    let falls = 0;
    for (let index = 0; index < text.length; index += 1) {
      const step = steps[index] as number;
      let equal = places.get(text[index] as number) ?? 0;
      const vertical = equal | falls;
      if (step < 0) equal |= 1;
      const horizontal = (((equal & rises) + rises) ^ rises) | equal;
      let up = falls | ~(horizontal | rises);
      let down = rises & horizontal;
      steps[index] = ((up >>> (size - 1)) & 1) - ((down >>> (size - 1)) & 1);
      up = (up << 1) | (step > 0 ? 1 : 0);
      down = (down << 1) | (step < 0 ? 1 : 0);
      rises = down | ~(vertical | up);
      falls = up & vertical;
    }
  }
  for (const step of steps) distance += step;
  return distance;
}

/**
 * How alike two texts are, given as code points: 1 - distance / length of the longer, 0 below one half, 1 for two empty ones.
 * Of texts over 10,000 characters it is a lower bound.
 */
export function likeness(one: readonly number[], other: readonly number[]): number {
  const longest = Math.max(one.length, other.length);
  if (longest === 0) return 1;
  if (Math.min(one.length, other.length) < longest * cut) return 0;
  const distance =
    longest <= longestCompared
      ? editDistance(one, other)
      : editDistance(one.slice(0, longestCompared), other.slice(0, longestCompared)) + longest - longestCompared;
  const similarity = 1 - distance / longest;
  return similarity < cut ? 0 : similarity;
}

/** A text as similarity sees it: in lower case, runs of white space as one blank. */
export function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase().replace(/\s+/gu, " ").trim();
}
