/** The maximum length of differing parts that are compared. Characters beyond it count as different. */
const maxComparedLength = 4_000;
/** Lower similarities count as 0, as in ANLS*. */
const minSimilarity = 0.5;

/** A text that is prepared for comparison with other texts. */
export interface PreparedText {
  readonly points: readonly number[];
  /** The positions of each character as bits, for texts of up to 32 characters. Computed on first use. */
  positions: ReadonlyMap<number, number> | null;
}

/** Prepares a text for comparison: in lower case, with white space collapsed. */
export function prepareText(text: string): PreparedText {
  const plain = text.normalize("NFC").toLowerCase().replace(/\s+/gu, " ").trim();
  return { points: toCodePoints(plain), positions: null };
}

/** Splits a text into code points. */
export function toCodePoints(text: string): number[] {
  const points: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    points.push(point);
    if (point > 0xffff) index += 1;
  }
  return points;
}

/** Removes the common start and end of two sequences, which does not change their distance. */
function trimCommonEnds(one: readonly number[], other: readonly number[]): [readonly number[], readonly number[]] {
  let start = 0;
  let oneEnd = one.length;
  let otherEnd = other.length;
  while (start < oneEnd && start < otherEnd && one[start] === other[start]) start += 1;
  while (oneEnd > start && otherEnd > start && one[oneEnd - 1] === other[otherEnd - 1]) {
    oneEnd -= 1;
    otherEnd -= 1;
  }
  return [one.slice(start, oneEnd), other.slice(start, otherEnd)];
}

/**
 * Computes the Levenshtein distance: the minimum number of insertions, deletions and substitutions. Bit-parallel, in blocks of 32
 * characters: Myers, "A fast bit-vector algorithm for approximate string matching", J. ACM 46(3), 1999.
 */
function computeBlockDistance(pattern: readonly number[], text: readonly number[]): number {
  if (pattern.length === 0 || text.length === 0) return pattern.length + text.length;
  // The change of the distance from one character of the text to the next, below the blocks that are done.
  const steps = new Int8Array(text.length).fill(1);
  let distance = pattern.length;
  for (let from = 0; from < pattern.length; from += 32) {
    const size = Math.min(32, pattern.length - from);
    advanceBlock(text, findPositions(pattern, from, size), size, steps);
  }
  for (const step of steps) distance += step;
  return distance;
}

function findPositions(pattern: readonly number[], from: number, size: number): ReadonlyMap<number, number> {
  const positions = new Map<number, number>();
  for (let bit = 0; bit < size; bit += 1) {
    const point = pattern[from + bit] as number;
    positions.set(point, (positions.get(point) ?? 0) | (1 << bit));
  }
  return positions;
}

/** Replaces the steps along the upper edge of a block by those along its lower edge. */
function advanceBlock(
  text: readonly number[],
  positions: ReadonlyMap<number, number>,
  size: number,
  steps: Int8Array,
): void {
  let rises = -1;
  let falls = 0;
  for (let index = 0; index < text.length; index += 1) {
    const step = steps[index] as number;
    let equal = positions.get(text[index] as number) ?? 0;
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

/** Computes the distance of a text of up to 32 characters from another one, like {@link advanceBlock} for one block, but without memory. */
function computeShortDistance(pattern: PreparedText, text: readonly number[]): number {
  const size = pattern.points.length;
  pattern.positions ??= findPositions(pattern.points, 0, size);
  const last = 1 << (size - 1);
  let distance = size;
  let rises = -1;
  let falls = 0;
  for (let index = 0; index < text.length; index += 1) {
    const equal = pattern.positions.get(text[index] as number) ?? 0;
    const horizontal = (((equal & rises) + rises) ^ rises) | equal;
    let up = falls | ~(horizontal | rises);
    const down = rises & horizontal;
    if (up & last) distance += 1;
    else if (down & last) distance -= 1;
    up = (up << 1) | 1;
    rises = (down << 1) | ~(equal | falls | up);
    falls = up & (equal | falls);
  }
  return distance;
}

/**
 * Computes the similarity of two texts: 1 - distance / length of the longer text, 0 if that is below one half, and 1 for two empty texts.
 * If the texts differ over more than 4,000 characters, the result is a lower bound.
 */
export function computeSimilarity(one: PreparedText, other: PreparedText): number {
  const [longer, shorter] = one.points.length >= other.points.length ? [one, other] : [other, one];
  const longest = longer.points.length;
  if (longest === 0) return 1;
  if (shorter.points.length < longest * minSimilarity) return 0;
  const distance =
    shorter.points.length <= 32
      ? computeShortDistance(shorter, longer.points)
      : computeLongDistance(longer.points, shorter.points);
  const similarity = (longest - distance) / longest;
  return similarity < minSimilarity ? 0 : similarity;
}

function computeLongDistance(longer: readonly number[], shorter: readonly number[]): number {
  const [one, other] = trimCommonEnds(longer, shorter);
  const beyond = Math.max(0, Math.max(one.length, other.length) - maxComparedLength);
  return computeBlockDistance(one.slice(0, maxComparedLength), other.slice(0, maxComparedLength)) + beyond;
}
