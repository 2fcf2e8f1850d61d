import fc from "fast-check";
import { codePoints, comparedText, likeness } from "./edit-distance.ts";
import { propertySeed } from "../../testing/scoring.ts";

const seed = propertySeed();

/** The textbook's table, row by row. */
function slowDistance(one: readonly number[], other: readonly number[]): number {
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

const alike = (one: string, other: string): number => likeness(comparedText(one), comparedText(other));

function exactLikeness(one: string, other: string): number {
  const [a, b] = [comparedText(one).points, comparedText(other).points];
  const longest = Math.max(a.length, b.length, 1);
  const exact = (longest - slowDistance(a, b)) / longest;
  return exact < 0.5 ? 0 : exact;
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 140 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);
/** A text, and one that comes of it by changes at some places. */
const changed = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom("", "a", "xy", "😀")), { maxLength: 30 }))
  .map(([one, changes]) => {
    const characters = [...one];
    for (const [place, dropped, added] of changes)
      characters.splice(place % (characters.length + 1), dropped, ...added);
    return [one, characters.join("")] as const;
  });

describe(`how alike texts are (PROPERTY_SEED=${String(seed)})`, () => {
  it.each([
    ["any two", fc.tuple(text, text)],
    ["one and what comes of it by changes", changed],
  ])("is what the textbook's distance makes it, in both directions: %s", (_, pairs) => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        expect(alike(one, other)).toBe(exactLikeness(one, other));
        expect(alike(other, one)).toBe(exactLikeness(one, other));
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
])("of %j and %j is %d", (one, other, likely) => {
  expect(alike(one, other)).toBe(likely);
});

it("counts what differs beyond 4,000 characters as different", () => {
  const same = "a".repeat(4_500);
  expect(alike(same, `b${same}c`)).toBe((4_502 - 1 - 502) / 4_502);
  expect(alike(`${same}b${same}`, `${same}c${same}`)).toBe(9_000 / 9_001);
});

it("compares without difference of case, composition and kinds of white space", () => {
  expect(comparedText(" A\u0308B\u00a0\n c ").points).toEqual(codePoints("äb c"));
});
