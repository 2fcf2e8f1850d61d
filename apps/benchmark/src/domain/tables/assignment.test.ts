import fc from "fast-check";
import { getPropertySeed } from "@switchyard/matching/testing";
import { findBestAssignment } from "./assignment.ts";

const seed = getPropertySeed();

/** Returns the maximum sum by trying all assignments. */
function bruteForce(weights: readonly (readonly number[])[], taken: ReadonlySet<number> = new Set()): number {
  const [first, ...rest] = weights;
  if (!first) return 0;
  const columns = first.length - taken.size;
  const skipping = weights.length > columns ? [bruteForce(rest, taken)] : [];
  const choosing = first.flatMap((weight, column) =>
    taken.has(column) ? [] : [weight + bruteForce(rest, new Set([...taken, column]))],
  );
  return Math.max(...skipping, ...choosing);
}

function getSum(weights: readonly (readonly number[])[], assigned: readonly number[]): number {
  return assigned.reduce((sum, column, row) => sum + (column < 0 ? 0 : weights[row]![column]!), 0);
}

const matrix = (weight: fc.Arbitrary<number>): fc.Arbitrary<number[][]> =>
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
    .chain(([rows, columns]) =>
      fc.array(fc.array(weight, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows }),
    );

describe(`the best assignment (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it.each([
    ["few different weights", fc.integer({ min: 0, max: 3 })],
    ["large weights", fc.integer({ min: 0, max: 2 ** 40 })],
    ["negative weights", fc.integer({ min: -9, max: 9 })],
  ])("has the maximum sum for %s", (_, weight) => {
    fc.assert(
      fc.property(matrix(weight), (weights) => {
        const assigned = findBestAssignment(weights);
        const used = assigned.filter((column) => column >= 0);
        expect(new Set(used).size).toBe(used.length);
        expect(used).toHaveLength(Math.min(weights.length, weights[0]!.length));
        expect(getSum(weights, assigned)).toBe(bruteForce(weights));
      }),
      { seed, numRuns: 300 },
    );
  });

  it("keeps the order if all weights are equal", () => {
    expect(findBestAssignment([1, 2, 3].map(() => [5, 5, 5, 5]))).toEqual([0, 1, 2]);
  });

  it("is empty without rows or columns", () => {
    expect(findBestAssignment([])).toEqual([]);
    expect(findBestAssignment([[], []])).toEqual([-1, -1]);
  });
});
