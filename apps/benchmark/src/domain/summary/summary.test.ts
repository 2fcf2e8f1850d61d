import fc from "fast-check";
import { getPropertySeed } from "@switchyard/matching/testing";
import type { FileScore } from "../files/file-score.ts";
import { createConfiguration, scoreValues } from "../../testing/scoring.ts";
import { createSummary } from "./summary.ts";

const seed = getPropertySeed();
const resampling = { replicates: 200 };

const configuration = createConfiguration({
  document: [["name", "TEXT", { sharedId: "who" }], ["total", "NUMBER"], ["unused"]],
  items: [["what"], ["amount", "NUMBER"]],
});

const value = fc.constantFrom("a", "b", "c", null);
const amount = fc.constantFrom(1, 2, null);
const tables = fc.record({
  document: fc.tuple(fc.record({ name: value, total: amount })),
  items: fc.array(fc.record({ what: value, amount }), { maxLength: 3 }),
});
const file = fc.tuple(tables, fc.option(tables, { freq: 9 }), fc.option(fc.double({ min: 0, max: 1e5, noNaN: true })));
const files = fc
  .array(file, { maxLength: 12 })
  .map((some): FileScore[] =>
    some.map(([expected, actual, time], index) =>
      scoreValues(configuration, expected, actual, `file ${String(index)}`, time),
    ),
  );

function summarize(scores: readonly FileScore[]) {
  const summary = createSummary(configuration, resampling);
  for (const score of scores) summary.add(score);
  return summary.metrics();
}

describe(`a summary (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it("does not depend on the order of files, and can be merged", () => {
    fc.assert(
      fc.property(files, fc.nat(), (scores, cut) => {
        const whole = summarize(scores);
        expect(summarize(scores.toReversed())).toEqual(whole);
        const parts = [createSummary(configuration, resampling), createSummary(configuration, resampling)] as const;
        scores.forEach((score, index) => parts[index < cut % (scores.length + 1) ? 0 : 1].add(score));
        parts[0].merge(parts[1]);
        expect(parts[0].metrics()).toEqual(whole);
      }),
      { seed, numRuns: 100 },
    );
  });

  it("has counts that add up, and metrics and intervals between 0 and 1", () => {
    fc.assert(
      fc.property(files, (scores) => {
        const { aggregated, byTable, byColumn } = summarize(scores);
        for (const outcome of ["correct", "correctlyEmpty", "wrong", "invented", "missing"] as const)
          for (const parts of [byTable, byColumn])
            expect(parts.reduce((sum, { outcomes }) => sum + outcomes[outcome], 0)).toBe(aggregated.outcomes[outcome]);
        expect(aggregated.totalFiles).toBe(scores.length);
        const { successRate, precision, recall, f1, anls, exactFileRate } = aggregated;
        for (const figure of [successRate, precision, recall, f1, anls, exactFileRate])
          expect(figure === null ? scores.length === 0 || figure === successRate : figure >= 0 && figure <= 1).toBe(
            true,
          );
        for (const { low, high } of [
          aggregated.ci95,
          aggregated.f1Ci95,
          aggregated.anlsCi95,
          ...byColumn.map(({ ci95 }) => ci95),
        ].flatMap((interval) => interval ?? []))
          expect(0 <= low && low <= high && high <= 1).toBe(true);
      }),
      { seed, numRuns: 100 },
    );
  });
});

it("has no metrics without files", () => {
  const { aggregated, byColumn, byTable, latency } = summarize([]);
  expect(aggregated).toMatchObject({
    successRate: null,
    ci95: null,
    f1: null,
    f1Ci95: null,
    anls: null,
    macroF1: null,
    exactFileRate: null,
  });
  expect(byTable[0]).toMatchObject({ successRate: null, precision: null, row: { f1: null } });
  expect(byColumn[0]).toMatchObject({ successRate: null, precision: null });
  expect(latency).toEqual({ p50: null, p95: null, max: null });
});

it("has the same metrics as a calculation by hand", () => {
  const document = (name: string | null, total: number | null) => ({ document: [{ name, total }] });
  const right = { ...document("a", 1), items: [{ what: "x", amount: 5 }] };
  const { aggregated, byColumn, byTable } = summarize([
    scoreValues(configuration, right, right, "1", 10),
    scoreValues(configuration, document("a", 1), document("zzz", null), "2", 20),
    scoreValues(
      configuration,
      { ...document(null, 2), items: [{ what: "x", amount: 5 }] },
      { ...document("b", 2), items: [{ what: "x" }] },
      "3",
      40,
    ),
    scoreValues(configuration, document("a", null), null, "4"),
  ]);
  // 1: 2 values, 1 empty, 2 values of a row; 2: wrong, missing, empty; 3: invented, correct, empty, correct, missing; 4: missing.
  expect(aggregated).toMatchObject({
    outcomes: { correct: 6, correctlyEmpty: 3, wrong: 1, invented: 1, missing: 3 },
    totalFiles: 4,
    failedFiles: 1,
    exactFiles: 1,
    exactFileRate: 0.25,
    totalRows: 6,
    totalCells: 14,
    successRate: 9 / 14,
    precision: 6 / 8,
    recall: 6 / 10,
    f1: 12 / 18,
    alignedScore: 6 / 10,
    enoughFiles: false,
  });
  // Each file: 5 of 5, 1 of 3 (only "unused" is correct), 3 of 5, 0.
  expect(aggregated.anls).toBeCloseTo((1 + 1 / 3 + 3 / 5 + 0) / 4, 6);
  expect(byColumn[0]).toMatchObject({
    slug: "name",
    sharedId: "who",
    support: 3,
    successRate: 1 / 4,
    precision: 1 / 3,
    recall: 1 / 3,
    f1: 1 / 3,
  });
  expect(byColumn[2]).toMatchObject({
    slug: "unused",
    support: 0,
    successRate: 1,
    precision: null,
    recall: null,
    f1: null,
    strict: { f1: null },
  });
  expect(aggregated.macroF1).toBeCloseTo((1 / 3 + 4 / 5 + 1 + 2 / 3) / 4, 9);
  expect(byTable[1]).toMatchObject({
    slug: "items",
    files: 2,
    expectedRows: 2,
    actualRows: 2,
    rightRows: 1,
    row: { precision: 0.5, recall: 0.5, f1: 0.5 },
  });
});

it("has intervals if everything is correct, but none for one file", () => {
  const right = { document: [{ name: "a" }], items: [{ what: "x" }] };
  const scores = Array.from({ length: 10 }, (_, index) => scoreValues(configuration, right, right, String(index)));
  const { aggregated, byColumn } = summarize(scores);
  expect(aggregated.ci95?.low).toBeCloseTo(0.722_47, 5);
  expect(aggregated.ci95?.high).toBe(1);
  expect(byColumn.find(({ slug }) => slug === "what")?.ci95?.low).toBeCloseTo(0.722_47, 5);
  const half = scoreValues(configuration, right, { document: [{ name: "b" }], items: [{ what: "x" }] }, "1");
  expect(summarize([half]).aggregated.ci95).toBeNull();
});

it("has the same size for a thousand files as for one", () => {
  const summary = createSummary(configuration, resampling);
  const getSize = (): number =>
    JSON.stringify(summary.totals, (_, some: unknown) =>
      some instanceof Float64Array ? some.length : some instanceof Map ? [...some] : some,
    ).length;
  const right = { document: [{ name: "a" }], items: [{ what: "x" }] };
  summary.add(scoreValues(configuration, right, right, "first", 20));
  const before = getSize();
  for (let index = 0; index < 1_000; index += 1)
    summary.add(scoreValues(configuration, right, right, String(index), 20));
  expect(getSize() - before).toBeLessThan(200);
});
