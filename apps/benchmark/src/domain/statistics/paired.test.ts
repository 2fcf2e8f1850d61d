import { readFileSync } from "node:fs";
import { subtract } from "../comparison/paired-figures.ts";
import { ratio } from "../cells/cell-counts.ts";
import {
  addToGroups,
  bootstrapSamples,
  createGroups,
  exchange,
  maxGroups,
  resample,
  sumGroups,
} from "./paired-groups.ts";
import type { PairedGroups } from "./paired-groups.ts";
import { adjustByHolm, computeMcNemarP } from "./paired-tests.ts";
import { computeQuantile } from "./resampling.ts";

type Case = Record<string, any>;

const reference = JSON.parse(readFileSync(new URL("../reference/paired.json", import.meta.url), "utf8"));

function toEnd<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Groups files, each of which has the right cells and the cells of both runs. */
function toGroups(files: readonly number[][]): PairedGroups {
  const groups = createGroups(4);
  for (const file of files) addToGroups(groups, Float64Array.from(file));
  return groups;
}

const getDelta = (sums: ArrayLike<number>): number =>
  subtract(ratio(sums[2] ?? 0, sums[3] ?? 0), ratio(sums[0] ?? 0, sums[1] ?? 0));

describe("paired statistics, against independent implementations", () => {
  it.each<Case>(reference.mcnemar)("McNemar's exact test of $one and $other discordant pairs: $p", (given) => {
    expect(computeMcNemarP(given.one, given.other)).toBeCloseTo(given.p, 9);
    expect(computeMcNemarP(given.other, given.one)).toBeCloseTo(given.p, 9);
  });

  it.each<Case>(reference.holm)("Holm's correction of $p is $adjusted", ({ p, adjusted }) => {
    expect(adjustByHolm([null, ...p])).toEqual([null, ...adjusted.map((value: number) => expect.closeTo(value, 12))]);
  });

  it.each<Case>(reference.bootstrap)("paired bootstrap of a difference of $delta: $low to $high", (given) => {
    const groups = toGroups(given.files);
    expect(getDelta(sumGroups(groups))).toBeCloseTo(given.delta, 12);
    const draw = (): Float64Array => {
      const deltas = new Float64Array(bootstrapSamples);
      toEnd(resample(groups, (sums, sample) => (deltas[sample] = getDelta(sums))));
      return deltas.sort();
    };
    const deltas = draw();
    // The quantiles of 2,000 samples have a standard error of about 2 % of the width.
    const tolerance = (given.high - given.low) * 0.06;
    expect(Math.abs(computeQuantile(deltas, 0.025) - given.low)).toBeLessThan(tolerance);
    expect(Math.abs(computeQuantile(deltas, 0.975) - given.high)).toBeLessThan(tolerance);
    expect(draw()).toEqual(deltas);
  });

  it.each<Case>(reference.exchange)("test by exchange of $files.length files: $p", ({ files, p }) => {
    const groups = toGroups(files);
    const observed = Math.abs(getDelta(sumGroups(groups)));
    const [value] = toEnd(
      exchange(groups, 2, (one, other) => [Math.abs(getDelta([...one, ...other])) >= observed - 1e-9]),
    );
    // Few files are exchanged in all ways; of many, the figure of 4,999 random exchanges has a standard error of 0.007 at most.
    expect(Math.abs(value! - p)).toBeLessThan(files.length > 13 ? 0.03 : 1e-9);
  });

  it("keeps no more groups than the limit, whatever the number of files", () => {
    const groups = toGroups(Array.from({ length: 2 * maxGroups + 1 }, () => [1, 2, 3, 4]));
    expect([groups.files, groups.groups.length]).toEqual([2 * maxGroups + 1, maxGroups]);
    expect(groups.groups.slice(0, 2).map(([first]) => first)).toEqual([3, 2]);
    expect([...sumGroups(groups)]).toEqual([1, 2, 3, 4].map((number) => number * (2 * maxGroups + 1)));
  });
});
