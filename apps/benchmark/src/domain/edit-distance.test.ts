import fc from "fast-check";
import { codePoints, comparable, editDistance, likeness } from "./edit-distance.ts";
import { propertySeed } from "./scoring-fixtures.ts";

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

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 140 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

describe(`the distance of texts (PROPERTY_SEED=${String(seed)})`, () => {
  it("is the textbook's, whatever the lengths", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [codePoints(one), codePoints(other)];
        expect(editDistance(a, b)).toBe(slowDistance(a, b));
      }),
      { seed, numRuns: 400 },
    );
  });

  it("makes a likeness from 0 to 1 that does not depend on the order, and is 1 for equal texts only", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [codePoints(one), codePoints(other)];
        const alike = likeness(a, b);
        expect(alike).toBe(likeness(b, a));
        expect(alike === 0 || (alike >= 0.5 && alike <= 1)).toBe(true);
        expect(alike === 1).toBe(one === other);
      }),
      { seed, numRuns: 200 },
    );
  });
});

it.each([
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["😀a", "😁a", 1],
  ["a".repeat(32) + "b", "a".repeat(31) + "c", 2],
])("finds %j and %j %i apart", (one, other, distance) => {
  expect(editDistance(codePoints(one), codePoints(other))).toBe(distance);
});

it("counts what differs beyond 10,000 characters as different", () => {
  const same = codePoints("a".repeat(10_500));
  expect(likeness(same, [98, ...same, 99])).toBe((10_502 - 1 - 502) / 10_502);
  expect(likeness([...same, 98, ...same], [...same, 99, ...same])).toBe(21_000 / 21_001);
});

it("compares without difference of case, composition and kinds of white space", () => {
  expect(comparable(" A\u0308B\u00a0\n c ")).toBe("äb c");
});
