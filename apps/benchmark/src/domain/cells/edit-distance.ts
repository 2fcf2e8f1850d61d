/** Of what differs in longer texts so many characters are compared; the rest counts as wholly different. */
const maxComparedLength = 4_000;
/** What is less alike than this is not alike at all, as in ANLS*. */
const cut = 0.5;

/** A text prepared to be compared with many others. */
export interface ComparedText {
  readonly points: readonly number[];
  /** Where each character stands, as bits, of a text of up to 32; made when first needed. */
  places: ReadonlyMap<number, number> | null;
}

/** A text as similarity sees it: in lower case, runs of white space as one blank. */
export function comparedText(text: string): ComparedText {
  const plain = text.normalize("NFC").toLowerCase().replace(/\s+/gu, " ").trim();
  return { points: codePoints(plain), places: null };
}

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

/** What is left of two sequences without what they begin and end with alike; it is as far apart as they are. */
function withoutCommonEnds(one: readonly number[], other: readonly number[]): [readonly number[], readonly number[]] {
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
 * The Levenshtein distance: the least number of characters to add, drop or change. Bit-parallel, in blocks of 32 characters: Myers,
 * "A fast bit-vector algorithm for approximate string matching", J. ACM 46(3), 1999.
 */
function blockDistance(pattern: readonly number[], text: readonly number[]): number {
  if (pattern.length === 0 || text.length === 0) return pattern.length + text.length;
  // By how much the distance changes from one character of the text to the next, below the blocks done so far.
  const steps = new Int8Array(text.length).fill(1);
  let distance = pattern.length;
  for (let from = 0; from < pattern.length; from += 32) {
    const size = Math.min(32, pattern.length - from);
    stepThrough(text, placesIn(pattern, from, size), size, steps);
  }
  for (const step of steps) distance += step;
  return distance;
}

function placesIn(pattern: readonly number[], from: number, size: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let bit = 0; bit < size; bit += 1) {
    const point = pattern[from + bit] as number;
    places.set(point, (places.get(point) ?? 0) | (1 << bit));
  }
  return places;
}

/** Takes the steps along the upper edge of a block to those along its lower edge. */
function stepThrough(
  text: readonly number[],
  places: ReadonlyMap<number, number>,
  size: number,
  steps: Int8Array,
): void {
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

/** The distance of a text of up to 32 characters from another one; what `stepThrough` does for one block, without its memory. */
function shortDistance(pattern: ComparedText, text: readonly number[]): number {
  const size = pattern.points.length;
  pattern.places ??= placesIn(pattern.points, 0, size);
  const last = 1 << (size - 1);
  let distance = size;
  let rises = -1;
  let falls = 0;
  for (let index = 0; index < text.length; index += 1) {
    const equal = pattern.places.get(text[index] as number) ?? 0;
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
 * How alike two texts are: 1 - distance / length of the longer, 0 below one half, 1 for two empty ones.
 * Of texts that differ over more than 4,000 characters it is a lower bound.
 */
export function likeness(one: ComparedText, other: ComparedText): number {
  const [longer, shorter] = one.points.length >= other.points.length ? [one, other] : [other, one];
  const longest = longer.points.length;
  if (longest === 0) return 1;
  if (shorter.points.length < longest * cut) return 0;
  const distance =
    shorter.points.length <= 32 ? shortDistance(shorter, longer.points) : longDistance(longer.points, shorter.points);
  const similarity = (longest - distance) / longest;
  return similarity < cut ? 0 : similarity;
}

function longDistance(longer: readonly number[], shorter: readonly number[]): number {
  const [left, otherLeft] = withoutCommonEnds(longer, shorter);
  const beyond = Math.max(0, Math.max(left.length, otherLeft.length) - maxComparedLength);
  return blockDistance(left.slice(0, maxComparedLength), otherLeft.slice(0, maxComparedLength)) + beyond;
}
