import fc from "fast-check";
import { getPropertySeed } from "@switchyard/matching/testing";
import { createConfiguration, labelAll, scoreLabeled, scoreValues } from "../../testing/scoring.ts";
import type { Tables } from "../../testing/scoring.ts";
import { createSummary } from "../summary/summary.ts";

const invoice = createConfiguration({
  invoice: [["number"], ["date", "DATE"], ["total", "NUMBER"]],
  items: [["sku", "TEXT", { isKey: true }], ["what"], ["amount", "NUMBER"]],
});
const free = createConfiguration({ invoice: [["number"]], items: [["what"], ["amount", "NUMBER"]] });

function listOutcomes(score: ReturnType<typeof scoreLabeled>): string[] {
  return score.cells.map((cell) => `${cell.table}[${String(cell.row)}].${cell.column}: ${cell.outcome}`);
}

const extracted = {
  invoice: [{ number: "R-1", date: "2026-05-01", total: 12 }],
  items: [{ sku: "A-1", what: "Apples", amount: 12 }],
};

describe("cells that are not labeled", () => {
  it("are not scored, but null is", () => {
    const score = scoreLabeled(invoice, { invoice: [{ number: "R-1", date: null }] }, extracted);
    expect(listOutcomes(score)).toEqual(["invoice[0].number: correct", "invoice[0].date: invented"]);
    expect(score).toMatchObject({ leftOut: false, exact: false, anls: 0.5 });
  });

  it("are those of tables that are left out, and of a primary table without a row", () => {
    expect(listOutcomes(scoreLabeled(invoice, { invoice: [], items: [{ what: "Apples" }] }, extracted))).toEqual([
      "items[0].what: correct",
    ]);
    expect(scoreLabeled(invoice, { invoice: [{ number: "R-1" }] }, extracted)).toMatchObject({
      exact: true,
      anls: 1,
      tables: [{ rows: 1 }, { rows: 0, expectedRows: 0, actualRows: 0 }],
    });
  });

  it("are none in another table without rows: the document has none", () => {
    const score = scoreLabeled(invoice, { items: [] }, extracted);
    expect(listOutcomes(score)).toEqual(["sku", "what", "amount"].map((column) => `items[0].${column}: invented`));
    expect(scoreLabeled(invoice, { items: [] }, { ...extracted, items: [] })).toMatchObject({
      leftOut: false,
      exact: true,
      anls: 1,
    });
  });

  it("include those of invented rows, in columns that no accepted row has", () => {
    const actual = { items: [...extracted.items, { sku: "B-2", what: "Pears", amount: 3 }] };
    const score = scoreLabeled(invoice, { items: [{ sku: "A-1", what: "Apples" }] }, actual);
    expect(listOutcomes(score)).toEqual([
      "items[0].sku: correct",
      "items[0].what: correct",
      "items[1].sku: invented",
      "items[1].what: invented",
    ]);
    const onlyOther = { items: [...extracted.items, { amount: 3 }] };
    expect(scoreLabeled(invoice, { items: [{ sku: "A-1", what: "Apples" }] }, onlyOther).exact).toBe(true);
  });

  it("are not missing from a file that could not be extracted", () => {
    const score = scoreLabeled(invoice, { invoice: [{ number: "R-1" }] }, null);
    expect(listOutcomes(score)).toEqual(["invoice[0].number: missing"]);
  });

  it("do not decide which rows belong together", () => {
    const actual = {
      items: [
        { what: "Apples", amount: null },
        { what: "Apples", amount: 3 },
      ],
    };
    // The second row is the first extracted one, so the first row, of which less is known, is the other.
    const score = scoreLabeled(free, { items: [{ what: "Apples" }, { what: "Apples", amount: null }] }, actual);
    expect(score.cells.map(({ row, actualRow, outcome }) => [row, actualRow, outcome])).toEqual([
      [0, 1, "correct"],
      [1, 0, "correct"],
      [1, 0, "correctlyEmpty"],
    ]);
    expect(score).toMatchObject({ exact: true, anls: 1 });
  });

  it("do not decide it if they are keys: rows then belong together by their other cells", () => {
    const items = [
      { sku: "A-1", what: "Apples", amount: 1 },
      { sku: "B-2", what: "Pears", amount: 2 },
    ];
    const swapped = [{ what: "Pears" }, { what: "Apples" }];
    expect(scoreLabeled(invoice, { items: swapped }, { items })).toMatchObject({
      exact: true,
      tables: [{}, { alignment: "assignment" }],
    });
    const partly = [{ what: "Pears" }, { sku: "A-1", what: "Apples" }];
    expect(scoreLabeled(invoice, { items: partly }, { items })).toMatchObject({
      exact: true,
      tables: [{}, { alignment: "keys" }],
    });
    const manyKeys = createConfiguration({
      document: [],
      items: [
        ["a", "TEXT", { isKey: true }],
        ["b", "TEXT", { isKey: true }],
        ["c", "TEXT", { isKey: true }],
      ],
    });
    const actual = { items: [{ a: "1", b: "2", c: "3" }] };
    expect(scoreLabeled(manyKeys, { items: [{ a: "1" }, { a: "1", b: "9", c: "8" }] }, actual).counts.outcomes).toEqual(
      {
        correct: 1,
        correctlyEmpty: 0,
        wrong: 0,
        invented: 0,
        missing: 3,
      },
    );
  });

  it("leave a column without rates, and leave out a file without any other cell", () => {
    const summary = createSummary(invoice, { replicates: 50 });
    const renamed = scoreLabeled(invoice, { invoice: [{ old_number: "R-1" }] }, extracted, "renamed", 5);
    expect(renamed).toMatchObject({ leftOut: true, exact: false, failed: false, cells: [] });
    summary.add(renamed);
    summary.add(scoreLabeled(invoice, { invoice: [{ number: "R-1" }] }, extracted, "known", 7));
    const { aggregated, byColumn, byTable, latency } = summary.metrics();
    expect(aggregated).toMatchObject({ totalFiles: 1, leftOutFiles: 1, exactFiles: 1, successRate: 1, totalCells: 1 });
    expect(latency.max).toBe(7);
    expect(byTable[1]).toMatchObject({ files: 0, successRate: null, precision: null, row: { f1: null } });
    for (const column of byColumn.slice(1)) {
      expect(column).toMatchObject({ files: 0, successRate: null, ci95: null, precision: null, recall: null });
      expect(column).toMatchObject({ f1: null, similarity: null, strict: { f1: null }, soft: { f1: null } });
    }
    const merged = createSummary(invoice, { replicates: 50 });
    merged.merge(summary);
    expect(merged.metrics()).toEqual(summary.metrics());
  });
});

const seed = getPropertySeed();
const value = fc.constantFrom("apple", "pear", "x y", null);
const amount = fc.constantFrom(0, 1, 2.5, null);
const tables: fc.Arbitrary<Tables> = fc.record({
  invoice: fc.tuple(fc.record({ number: value, date: fc.constantFrom("2026-01-02", null), total: amount })),
  items: fc.array(fc.record({ sku: value, what: value, amount }), { maxLength: 4 }),
});
const hidden = fc.subarray(["number", "date", "total", "sku", "what", "amount"]);

describe(`columns that no row has (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  const without = (some: Tables, slugs: readonly string[]): Tables =>
    Object.fromEntries(
      Object.entries(some).map(([slug, rows]) => [
        slug,
        rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !slugs.includes(column)))),
      ]),
    );

  it("score as if the model did not have them", () => {
    fc.assert(
      fc.property(tables, tables, hidden, (expected, actual, slugs) => {
        fc.pre((expected["items"] ?? []).length > 0);
        const configuration = { ...invoice, columns: invoice.columns.filter(({ slug }) => !slugs.includes(slug)) };
        const one = scoreLabeled(invoice, without(expected, slugs), actual);
        const other = scoreLabeled(configuration, without(expected, slugs), without(actual, slugs));
        expect(one).toEqual(other);
      }),
      { seed, numRuns: 200 },
    );
  });

  it("never count as wrong what is right if all is labeled", () => {
    fc.assert(
      fc.property(tables, hidden, (expected, slugs) => {
        expect(scoreLabeled(invoice, without(expected, slugs), expected)).toMatchObject(
          slugs.length === 6 && (expected["items"] ?? []).length > 0 ? { leftOut: true } : { exact: true, anls: 1 },
        );
        expect(scoreLabeled(invoice, labelAll(invoice, expected), expected)).toEqual(
          scoreValues(invoice, expected, expected),
        );
      }),
      { seed, numRuns: 200 },
    );
  });
});
