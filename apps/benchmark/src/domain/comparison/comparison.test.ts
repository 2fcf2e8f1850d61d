import { create } from "@bufbuild/protobuf";
import { ConfigurationSchema, MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { getPropertySeed } from "@switchyard/matching/testing";
import { createConfiguration, scoreLabeled } from "../../testing/scoring.ts";
import type { Tables, scoreValues } from "../../testing/scoring.ts";
import { compareSimulated, createSimulationRandom, toEnd } from "../../testing/simulated-runs.ts";
import type { ScoredConfiguration } from "../tables/table-score.ts";
import { createComparison } from "./comparison.ts";
import { diffConfigurations } from "./configuration-changes.ts";
import { getScoredColumns, packOutcomes, unpackOutcomes } from "./outcome-grid.ts";
import type { ComparedResult } from "./paired-file.ts";
import { pairColumns } from "./shared-columns.ts";
import { compareMetric } from "./verdict.ts";

const seed = getPropertySeed();
const invoices = createConfiguration({ invoice: [["number"], ["total", "NUMBER"]], items: [["what"], ["amount"]] });

function toResult(configuration: ScoredConfiguration, score: ReturnType<typeof scoreValues>): ComparedResult {
  const widths = configuration.tables.map(({ id }) => getScoredColumns(configuration, id).length);
  const { failed, anls, cells } = score;
  return { grids: unpackOutcomes(packOutcomes(configuration, cells), widths), failed, anls };
}

/** Compares runs over files, each with the accepted values and those that both runs extracted. */
function compare(
  files: readonly (readonly [accepted: Tables, baseline: Tables | null, candidate: Tables | null])[],
  { before = invoices, after = invoices, sameSystem = false, margin = 0.01 } = {},
) {
  const comparison = createComparison(pairColumns(before, after), { margin, sameSystem, maxCells: 3 });
  for (const [index, [accepted, baseline, candidate]] of files.entries())
    comparison.add(
      `fil_${String(index)}`,
      toResult(before, scoreLabeled(before, accepted, baseline)),
      toResult(after, scoreLabeled(after, accepted, candidate)),
    );
  return toEnd(comparison.compute());
}

const accepted: Tables = {
  invoice: [{ number: "R-1", total: 12.5 }],
  items: [
    { what: "Apples", amount: "1" },
    { what: "Pears", amount: "2" },
  ],
};
const withTotal = (total: number | null): Tables => ({ ...accepted, invoice: [{ number: "R-1", total }] });

describe("the comparison of two runs", () => {
  it("names the cells that begin and cease to fail, with rows that only one of the runs has", () => {
    const baseline = { ...accepted, items: [{ what: "Apples", amount: "1" }] };
    const candidate = {
      invoice: [{ number: "R-1", total: 13 }],
      items: [...accepted["items"]!, { what: "Plums", amount: null }],
    };
    const { newlyFailing, newlyPassing, stillWrong, filesCompared, aggregated, byColumn } = compare([
      [accepted, baseline, candidate],
    ]);
    expect(newlyFailing).toEqual([
      { fileId: "fil_0", table: "invoice", row: 0, column: "total" },
      { fileId: "fil_0", table: "items", row: 2, column: "what" },
    ]);
    expect(newlyPassing).toEqual([
      { fileId: "fil_0", table: "items", row: 1, column: "what" },
      { fileId: "fil_0", table: "items", row: 1, column: "amount" },
    ]);
    expect([stillWrong, filesCompared]).toEqual([0, 1]);
    expect(aggregated.successRate).toMatchObject({ baseline: 4 / 6, candidate: 5 / 7, verdict: "INCONCLUSIVE" });
    expect(aggregated.recall).toMatchObject({ baseline: 4 / 6, candidate: 5 / 6, delta: expect.closeTo(1 / 6, 12) });
    expect(byColumn.map(({ table, column }) => `${table}.${column.slug}`)).toEqual([
      "invoice.number",
      "invoice.total",
      "items.what",
      "items.amount",
    ]);
    expect(byColumn[1]).toMatchObject({ successRate: { baseline: 1, candidate: 0, delta: -1, pValue: 1 } });
  });

  it("finds a column that breaks, corrects for the number of columns, and lists only the first cells", () => {
    const broken = compare(
      Array.from({ length: 40 }, (_, file) => [accepted, accepted, withTotal(file < 9 ? 1 : 12.5)]),
    );
    const [number, total] = broken.byColumn;
    expect(broken.aggregated.successRate).toMatchObject({ verdict: "REGRESSED", delta: expect.closeTo(-9 / 240, 12) });
    // McNemar: 2 / 2^9; four columns.
    expect(total?.successRate).toMatchObject({ pValue: (2 / 2 ** 9) * 4, verdict: "REGRESSED", filesNeeded: null });
    expect(number?.successRate).toMatchObject({ delta: 0, pValue: 1, verdict: "INCONCLUSIVE", filesNeeded: 381 });
    expect(number?.successRate.ci95?.high).toBeCloseTo(3.8415 / 43.8415, 4);
    expect([broken.newlyFailing.length, broken.newlyFailingCount]).toEqual([3, 9]);
    expect(
      compare(Array.from({ length: 40 }, (_, file) => [accepted, withTotal(file < 9 ? 1 : 12.5), accepted])),
    ).toMatchObject({
      aggregated: { successRate: { verdict: "IMPROVED" }, exactFileRate: { delta: expect.closeTo(9 / 40, 12) } },
      newlyFailingCount: 0,
      newlyPassingCount: 9,
    });
  });

  it("does not treat a few files without a difference as proof, unless both runs are the same", () => {
    const files = Array.from({ length: 3 }, () => [accepted, withTotal(1), withTotal(1)] as const);
    expect(compare(files).aggregated.successRate).toMatchObject({ verdict: "INCONCLUSIVE", filesNeeded: 381 });
    expect(compare(files).stillWrong).toBe(3);
    const same = compare(files, { sameSystem: true }).aggregated.successRate;
    expect(same).toMatchObject({ verdict: "EQUIVALENT", delta: 0, ci95: { low: 0, high: 0 }, pValue: 1 });
    const many = Array.from({ length: 400 }, () => [accepted, accepted, accepted] as const);
    expect(compare(many).aggregated.f1).toMatchObject({ verdict: "EQUIVALENT", filesNeeded: null });
  });

  it("compares the columns that both score, by their shared ID or their slug, and ANLS* only if these are all", () => {
    const before = createConfiguration({ invoice: [["number"], ["total", "NUMBER"], ["old"]] });
    const after = createConfiguration({ invoice: [["number"], ["sum", "NUMBER", { sharedId: "total" }], ["added"]] });
    const tolerant = { matching: { kind: MatchingKind.NUMERIC, absoluteTolerance: 5 } };
    const loosened = createConfiguration({ invoice: [["number"], ["total", "NUMBER", tolerant]] });
    const columnsOf = (one: ScoredConfiguration, other: ScoredConfiguration) => {
      const { tables, complete } = pairColumns(one, other);
      return [tables.flatMap(({ columns }) => columns.map(({ column }) => column.slug)), complete];
    };
    // A run with a greater tolerance would seem to be better.
    expect(columnsOf(createConfiguration({ invoice: [["number"], ["total", "NUMBER"]] }), loosened)).toEqual([
      ["number"],
      false,
    ]);
    expect(columnsOf(loosened, loosened)).toEqual([["number", "total"], true]);
    const renamed = createConfiguration({ invoice: [["number"], ["total", "NUMBER", { sharedId: "total" }], ["old"]] });
    const file = { invoice: [{ number: "R-1", total: 1, sum: 1, old: "a", added: "b" }] };
    const wrong = { invoice: [{ number: "R-1", total: 2, sum: 1 }] };
    const slugs = (from: ScoredConfiguration) =>
      compare([[file, wrong, wrong]], { before: from, after }).byColumn.map(({ column }) => column.slug);
    expect(slugs(before)).toEqual(["number"]);
    expect(slugs(renamed)).toEqual(["number", "sum"]);
    const { aggregated, newlyPassing } = compare([[file, wrong, wrong]], { before: renamed, after });
    expect(newlyPassing).toEqual([{ fileId: "fil_0", table: "invoice", row: 0, column: "sum" }]);
    expect(aggregated.anls).toEqual({
      ...{ baseline: null, candidate: null, delta: null, ci95: null, pValue: null },
      ...{ verdict: "INCONCLUSIVE", filesNeeded: null },
    });
    expect(aggregated.exactFileRate).toMatchObject({ baseline: 0, candidate: 1 });
  });

  it("counts a failed file as missing values, and has no figures without files", () => {
    const failed = compare([[accepted, accepted, null]]);
    expect(failed.newlyFailingCount).toBe(6);
    expect(failed.aggregated.anls).toMatchObject({ baseline: 1, candidate: 0 });
    const none = compare([]);
    expect(none).toMatchObject({ filesCompared: 0, stillWrong: 0 });
    expect(none.aggregated.successRate).toMatchObject({ delta: null, verdict: "INCONCLUSIVE" });
  });

  it("estimates how many files decide", () => {
    const samples = Float64Array.from({ length: 2_000 }, (_, index) => -0.03 + (0.1 * index) / 1_999);
    const evidence = {
      baseline: 0.9,
      candidate: 0.92,
      samples,
      pValue: 0.3,
      files: 100,
      differs: true,
      identical: false,
    };
    const metric = compareMetric({ ...evidence, margin: 0.01 });
    // The interval is 0.02 +- 0.0475: it excludes 0 if it is 2.375 times narrower.
    expect(metric).toMatchObject({ verdict: "INCONCLUSIVE", filesNeeded: Math.ceil(100 * 2.375 ** 2) });
    // Within a margin of 5 points, it has to become 0.0475 / 0.03 times narrower.
    expect(compareMetric({ ...evidence, margin: 0.05 }).filesNeeded).toBe(Math.ceil(100 * (0.0475 / 0.03) ** 2));
    expect(compareMetric({ ...evidence, margin: 0.1 })).toMatchObject({ verdict: "EQUIVALENT", filesNeeded: null });
  });

  it("describes the differences between configurations", () => {
    const column = { id: "1", tableId: "t", slug: "total", name: "Total", synonyms: ["sum"] };
    const from = create(ConfigurationSchema, {
      tables: [{ id: "t", slug: "bill" }],
      columns: [column, { id: "2", tableId: "t", slug: "old" }],
    });
    const to = create(ConfigurationSchema, {
      instructions: "Read well",
      tables: [{ id: "u", slug: "bill" }],
      columns: [
        { ...column, id: "9", tableId: "u", name: "Sum", isKey: true },
        { id: "3", tableId: "u", slug: "new", index: 4 },
      ],
    });
    expect(diffConfigurations(from, to)).toMatchObject({
      parts: ["instructions", "columns"],
      added: [{ table: "bill", slug: "new", before: null, after: { slug: "new" } }],
      removed: [{ table: "bill", slug: "old", after: null }],
      changed: [{ table: "bill", slug: "total", fields: ["name", "isKey"] }],
    });
    expect(diffConfigurations(to, to)).toEqual({ parts: [], added: [], removed: [], changed: [] });
  });
});

describe(`verdicts about simulated runs (SWITCHYARD_TEST_SEED=${String(seed)}); npm run evaluate -- statistics measures more`, () => {
  const models = { files: 200, columns: 4, rows: 1, successRate: 0.9, drop: 0, together: 0.7 };
  const count = (pairs: number, drop: number, verdicts: readonly string[]): number => {
    const random = createSimulationRandom(seed);
    const all = Array.from({ length: pairs }, () => compareSimulated({ ...models, drop }, random));
    return all.filter(({ aggregated }) => verdicts.includes(aggregated.successRate.verdict)).length;
  };

  it("seldom find a difference between equal models", () => {
    // With a rate of 5 %, 7 or more of 20 have a probability of less than 1 in 10,000.
    expect(count(20, 0, ["IMPROVED", "REGRESSED"])).toBeLessThan(7);
  });

  it("find a drop of 5 points on 200 files", () => {
    expect(count(8, 0.05, ["REGRESSED"])).toBeGreaterThanOrEqual(6);
  });
});
