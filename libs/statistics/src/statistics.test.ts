import { readFileSync } from "node:fs";
import { computeBettingPValue } from "./betting.ts";
import { computeBinomialTail } from "./binomial.ts";
import { testInOrder } from "./fallback.ts";

type Case = Record<string, number>;

function readReference(name: string): any {
  return JSON.parse(readFileSync(new URL(`./reference/${name}.json`, import.meta.url), "utf8"));
}

describe("the tail of the binomial distribution", () => {
  const { cases, bounds } = readReference("binomial");

  it.each<Case>(cases)("of $events of $trials at $probability is $tail", ({ events, trials, probability, tail }) => {
    expect(computeBinomialTail(events as number, trials as number, probability as number)).toBeCloseTo(
      tail as number,
      10,
    );
  });

  it.each<Case>(bounds)("reaches the level at the upper bound $upper of Clopper and Pearson", (bound) => {
    const { events, trials, upper, confidence } = bound as { [Name in string]: number } & Record<"confidence", number>;
    expect(computeBinomialTail(events as number, trials as number, upper as number)).toBeCloseTo(1 - confidence, 9);
  });

  it("has bounds at 0 and 1", () => {
    expect(computeBinomialTail(0, 0, 0.5)).toBe(1);
    expect(computeBinomialTail(0, 5, 0)).toBe(1);
    expect(computeBinomialTail(4, 5, 1)).toBe(0);
  });
});

describe("the p value by betting", () => {
  it.each<Case>(readReference("betting").cases)(
    "of $files files, $wrong of $values wrong in every $every-th, is $pValue",
    (each) => {
      const { files, every, wrong, values, columns, error, pValue } = each as Record<string, number> as any;
      const excess = Array.from(
        { length: files },
        (_, index) => (every > 0 && (index + 1) % every === 0 ? wrong : 0) - error * values,
      );
      const half = (error * columns) / 2;
      const expected = { mean: -half, square: half };
      expect(computeBettingPValue(excess, { maximum: columns * (1 - error), expected })).toBeCloseTo(pValue, 10);
    },
  );

  it("is at most 5 % in at most 5 % of samples whose mean is just 0", () => {
    // Park and Miller, so that the samples are always the same.
    let state = 17;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const [error, samples, size] = [0.1, 2_000, 150];
    let rejected = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      // The four values of a file are wrong together in half of the cases.
      const excess = Array.from({ length: size }, () => {
        const all = random() < 0.5 ? random() : undefined;
        let wrong = 0;
        for (let value = 0; value < 4; value += 1) wrong += (all ?? random()) < error ? 1 : 0;
        return wrong - 4 * error;
      });
      const expected = { mean: -2 * error, square: 2 * error };
      if (computeBettingPValue(excess, { maximum: 4 * (1 - error), expected }) <= 0.05) rejected += 1;
    }
    expect(rejected / samples).toBeLessThanOrEqual(0.05);
  });
});

describe("the test of hypotheses in order", () => {
  it("passes the level of a rejected hypothesis on, and does not look beyond what is left", () => {
    const asked: number[] = [];
    const pValues = [0.02, 0.024, 0.03, 0.001, 0.02, 0.04];
    const shares = [0.5, 0, 0, 0, 0.5, 0];
    const rejected = testInOrder(shares, 0.05, (index) => (asked.push(index), pValues[index] as number));
    expect(rejected).toEqual([true, true, false, false, true, false]);
    expect(asked).toEqual([0, 1, 2, 4, 5]);
    expect(testInOrder([0.5, 0.5], 0.05, () => 0.01)).toEqual([true, true]);
    expect(testInOrder([0.5, 0.5, 0], 0.05, (index) => [0.02, 0.05, 0.05][index] as number)).toEqual([
      true,
      true,
      true,
    ]);
  });
});
