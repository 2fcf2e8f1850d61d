import fc from "fast-check";
import { toCodePoints, prepareText, computeSimilarity } from "./edit-distance.ts";
import { getPropertySeed } from "./testing/seed.ts";

const seed = getPropertySeed();

/** Computes the distance with the textbook algorithm, row by row. */
function computeTextbookDistance(one: readonly number[], other: readonly number[]): number {
  let row = other.map((_, index) => index + 1);
  row.unshift(0);
  one.forEach((point, index) => {
    const next = [index + 1];
    other.forEach((otherPoint, place) => {
      next.push(Math.min(next[place]! + 1, row[place + 1]! + 1, row[place]! + (point === otherPoint ? 0 : 1)));
    });
    row = next;
  });
  return row.at(-1)!;
}

const compare = (one: string, other: string): number => computeSimilarity(prepareText(one), prepareText(other));

function computeTextbookSimilarity(one: string, other: string): number {
  const [a, b] = [prepareText(one).points, prepareText(other).points];
  const longest = Math.max(a.length, b.length, 1);
  const exact = (longest - computeTextbookDistance(a, b)) / longest;
  return exact < 0.5 ? 0 : exact;
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 140 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);
/** A text, and a changed version of it. */
const changed = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom("", "a", "xy", "😀")), { maxLength: 30 }))
  .map(([one, changes]) => {
    const characters = [...one];
    for (const [place, dropped, added] of changes)
      characters.splice(place % (characters.length + 1), dropped, ...added);
    return [one, characters.join("")] as const;
  });

describe(`the similarity of texts (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it.each([
    ["unrelated texts", fc.tuple(text, text)],
    ["changed texts", changed],
  ])("equals that of the textbook distance, in both directions: %s", (_, pairs) => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        expect(compare(one, other)).toBe(computeTextbookSimilarity(one, other));
        expect(compare(other, one)).toBe(computeTextbookSimilarity(one, other));
      }),
      { seed, numRuns: 400 },
    );
  });
});

it.each([
  ["kitten", "sitting", 4 / 7],
  ["", "", 1],
  ["", "abc", 0],
  ["😀a", "😁a", 0.5],
  [`${"a".repeat(32)}b`, `${"a".repeat(31)}c`, 31 / 33],
])("of %j and %j is %d", (one, other, similarity) => {
  expect(compare(one, other)).toBe(similarity);
});

it("counts characters beyond 4,000 as different", () => {
  const same = "a".repeat(4_500);
  expect(compare(same, `b${same}c`)).toBe((4_502 - 1 - 502) / 4_502);
  expect(compare(`${same}b${same}`, `${same}c${same}`)).toBe(9_000 / 9_001);
});

it("ignores case, Unicode composition and kinds of white space", () => {
  expect(prepareText(" A\u0308B\u00a0\n c ").points).toEqual(toCodePoints("äb c"));
});
