import { computeAlignedScore, computeMeanSimilarity, getRates, computeSuccessRate } from "./cells/cell-counts.ts";
import { createConfiguration, scoreValues } from "../testing/scoring.ts";

it("scores the example of docs/scoring.md", () => {
  const score = scoreValues(
    createConfiguration({
      invoice: [["number"], ["seller"], ["date", "DATE"], ["total", "NUMBER"], ["currency"]],
      items: [["what"], ["amount", "NUMBER"]],
    }),
    {
      invoice: [{ number: "R-1", seller: "Acme Ltd", total: 12.5 }],
      items: [{ what: "Apples", amount: 12.5 }],
    },
    {
      invoice: [{ number: "R-2", seller: "ACME LTD.", currency: "EUR" }],
      items: [{ what: "Apples", amount: 12.5 }],
    },
  );
  const { counts } = score;
  expect(counts.outcomes).toEqual({ correct: 3, correctlyEmpty: 1, wrong: 1, invented: 1, missing: 1 });
  expect(computeSuccessRate(counts)).toBe(4 / 7);
  expect(getRates(counts)).toEqual({ precision: 0.6, recall: 0.6, f1: 0.6 });
  expect(computeAlignedScore(counts)).toBe(0.6);
  expect(computeMeanSimilarity(counts)).toBeCloseTo(0.667, 3);
  expect(score.anls).toBeCloseTo(0.651, 3);
  expect(score.exact).toBe(false);
  expect(score.tables.map(({ rightRows }) => rightRows)).toEqual([0, 1]);
});
