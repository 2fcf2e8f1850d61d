import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { toValueTables } from "../cells/cell-value.ts";
import { computeAnlsStar } from "../../testing/anls-star.ts";
import { createConfiguration, scoreValues } from "../../testing/scoring.ts";
import type { ColumnDefinition, ColumnOptions, Tables } from "../../testing/scoring.ts";

const items: readonly ColumnDefinition[] = [["what"], ["quantity", "NUMBER"], ["amount", "NUMBER"]];
const invoice = createConfiguration({ invoice: [["number"], ["date", "DATE"], ["total", "NUMBER"]], items });
const keyed = createConfiguration({ invoice: [["number"]], items: [["sku", "TEXT", { isKey: true }], ...items] });

function listOutcomes(score: ReturnType<typeof scoreValues>): string[] {
  return score.cells.map((cell) => `${cell.table}[${String(cell.row)}].${cell.column}: ${cell.outcome}`);
}

it("scores each cell", () => {
  const score = scoreValues(
    invoice,
    {
      invoice: [{ number: "R-1", date: "2024-05-01", total: null }],
      items: [{ what: "Apples", quantity: 2, amount: 3 }],
    },
    { invoice: [{ number: "R-2", date: "", total: 9 }], items: [{ what: "apples.", quantity: 2, amount: null }] },
  );
  expect(listOutcomes(score)).toEqual([
    "invoice[0].number: wrong",
    "invoice[0].date: missing",
    "invoice[0].total: invented",
    "items[0].what: correct",
    "items[0].quantity: correct",
    "items[0].amount: missing",
  ]);
  expect(score.cells[0]).toEqual({
    table: "invoice",
    column: "number",
    columnId: "invoice.number",
    sharedId: null,
    row: 0,
    actualRow: 0,
    expected: "R-1",
    actual: "R-2",
    outcome: "wrong",
    closeness: "soft",
    similarity: 2 / 3,
  });
  expect(score).toMatchObject({ exact: false, failed: false, anls: (2 / 3 + 0 + 0 + 6 / 7 + 1 + 0) / 6 });
});

it("counts a document without values as correct if nothing was extracted", () => {
  const score = scoreValues(invoice, {}, {});
  expect(listOutcomes(score)).toEqual(["number", "date", "total"].map((name) => `invoice[0].${name}: correctlyEmpty`));
  expect(score).toMatchObject({ exact: true, anls: 1 });
});

it("counts all values of a failed file as missing", () => {
  const score = scoreValues(invoice, { invoice: [{ number: "R-1" }], items: [{ what: "Apples" }] }, null);
  expect(listOutcomes(score)).toEqual(["invoice[0].number: missing", "items[0].what: missing"]);
  expect(score).toMatchObject({ failed: true, exact: false, anls: 0 });
  expect(scoreValues(invoice, {}, null)).toMatchObject({ cells: [], exact: false, anls: 0 });
});

it("ignores columns that are excluded from extraction or not in the configuration", () => {
  const some = createConfiguration({
    invoice: [["number"], ["note", "TEXT", { excludedFromExtraction: true, isKey: true }]],
  });
  const score = scoreValues(
    some,
    { invoice: [{ number: "1", note: "a", other: "b" }], gone: [{ a: 1 }] },
    { invoice: [{ number: "1", note: "c" }] },
  );
  expect(listOutcomes(score)).toEqual(["invoice[0].number: correct"]);
  expect(score).toMatchObject({ exact: true, anls: 1 });
});

it("supports columns with the names of properties of every object", () => {
  const configuration = createConfiguration({ document: [["constructor"]] });
  expect(scoreValues(configuration, {}, {}).counts.outcomes).toMatchObject({ correctlyEmpty: 1, wrong: 0 });
});

it("includes the shared ID of columns", () => {
  const shared = createConfiguration({ invoice: [["number", "TEXT", { sharedId: "invoice-number" }]] });
  expect(scoreValues(shared, {}, {}).cells[0]).toMatchObject({ sharedId: "invoice-number" });
});

it("counts as correct what matches by the matching of its column, even when rows are paired", () => {
  const nearly = { matching: { kind: MatchingKind.EDITS, maxEdits: 2 } };
  const percent = { matching: { kind: MatchingKind.NUMERIC, relativeTolerance: 0.01 } };
  const accepted: Tables = {
    receipt: [{ address: "12 Main Street", total: 200 }],
    items: [{ what: "Tea", price: 100 }],
  };
  const extracted: Tables = {
    receipt: [{ address: "12 Maim Streat", total: 202 }],
    items: [
      { what: null, price: 50 },
      { what: "T", price: 101 },
    ],
  };
  const score = (address: ColumnOptions, numbers: ColumnOptions) =>
    scoreValues(
      createConfiguration({
        receipt: [
          ["address", "TEXT", address],
          ["total", "NUMBER", numbers],
        ],
        items: [["what"], ["price", "NUMBER", numbers]],
      }),
      accepted,
      extracted,
    ).counts.outcomes;
  expect(score(nearly, percent)).toMatchObject({ correct: 3, wrong: 1, invented: 1 });
  expect(score({}, {})).toMatchObject({ correct: 0 });
});

describe("rows of a table without keys", () => {
  it("are paired for the maximum number of correct cells, with invented rows at the end", () => {
    const score = scoreValues(
      invoice,
      {
        items: [
          { what: "Apples", quantity: 1, amount: 3 },
          { what: "Pears", quantity: 2, amount: 5 },
        ],
      },
      {
        items: [
          { what: "Plums", quantity: 9, amount: 9 },
          { what: "Pear", quantity: 2, amount: 5 },
          { what: "Apples", quantity: 1, amount: 3 },
        ],
      },
    );
    expect(
      score.cells.filter(({ table }) => table === "items").map((cell) => [cell.row, cell.actualRow, cell.outcome]),
    ).toEqual([
      [0, 2, "correct"],
      [0, 2, "correct"],
      [0, 2, "correct"],
      [1, 1, "wrong"],
      [1, 1, "correct"],
      [1, 1, "correct"],
      [2, 0, "invented"],
      [2, 0, "invented"],
      [2, 0, "invented"],
    ]);
    expect(score.tables[1]).toEqual({
      table: "items",
      alignment: "assignment",
      expectedRows: 2,
      actualRows: 3,
      rows: 3,
      rightRows: 1,
    });
  });

  it("are not paired if nothing is similar", () => {
    const { counts } = scoreValues(
      invoice,
      { items: [{ what: "Apples", amount: 3 }] },
      { items: [{ what: "Zzz", amount: 777 }] },
    );
    expect(counts.outcomes).toMatchObject({ wrong: 0, missing: 2, invented: 2 });
  });

  it("are ignored if they are empty, and keep their index in the accepted values", () => {
    const score = scoreValues(
      invoice,
      { items: [{ what: " " }, { what: "Pears" }] },
      { items: [{}, {}, { what: "Pears" }, { what: "Nuts" }] },
    );
    expect(listOutcomes(score).slice(3)).toEqual([
      "items[1].what: correct",
      "items[1].quantity: correctlyEmpty",
      "items[1].amount: correctlyEmpty",
      "items[2].what: invented",
    ]);
  });

  it("are paired approximately if there are too many", () => {
    const rows = (from: number, note: string) =>
      Array.from({ length: 1_000 }, (_, index) => ({
        what: `item ${String(from + index)} ${note}`,
        quantity: 1,
        amount: from + index,
      }));
    const score = scoreValues(invoice, { items: rows(0, "a") }, { items: rows(3, "b") });
    expect(score.tables[1]).toMatchObject({ alignment: "approximate", rows: 1_000, expectedRows: 1_000 });
    expect(score.counts.outcomes).toMatchObject({ correct: 2 * 997 + 3, wrong: 997 + 2 * 3, missing: 0 });
    const same = scoreValues(invoice, { items: rows(0, "a") }, { items: rows(0, "a").reverse() });
    expect(same).toMatchObject({ exact: true, anls: 1, tables: [{}, { alignment: "assignment" }] });
  });
});

describe("rows of a table with keys", () => {
  it("are paired by their keys, whatever their other values are", () => {
    const { counts, tables } = scoreValues(
      keyed,
      {
        items: [
          { sku: "A1", what: "Apples", quantity: 1 },
          { sku: "B2", what: "Pears", quantity: 2 },
        ],
      },
      {
        items: [
          { sku: "b2", what: "Apples", quantity: 1 },
          { sku: "A1", what: "Pears", quantity: 2 },
        ],
      },
    );
    expect(tables[1]).toMatchObject({ alignment: "keys", rows: 2 });
    expect(counts.outcomes).toMatchObject({ correct: 2, wrong: 4, missing: 0, invented: 0 });
  });

  it("are not paired with other keys, but with misread or missing keys", () => {
    const row = { what: "Apples", quantity: 1, amount: 3 };
    const scoreWithSku = (sku: string | null) =>
      scoreValues(keyed, { items: [{ sku: "A-1000", ...row }] }, { items: [{ sku, ...row }] }).counts.outcomes;
    expect(scoreWithSku("Z-9777")).toMatchObject({ correct: 0, missing: 4, invented: 4 });
    expect(scoreWithSku("A-1008")).toMatchObject({ correct: 3, wrong: 1 });
    expect(scoreWithSku(null)).toMatchObject({ correct: 3, missing: 1 });
  });

  it("are paired for the maximum number of correct cells if several have the same key", () => {
    const rows = [
      { sku: "A", what: "x", amount: 1 },
      { sku: "A", what: "y", amount: 2 },
    ];
    const { counts } = scoreValues(keyed, { items: rows }, { items: [...rows].reverse() });
    expect(counts.outcomes).toMatchObject({ correct: 6, wrong: 0 });
  });
});

it("pairs the rows of the primary table in their order", () => {
  const score = scoreValues(
    createConfiguration({ invoice: [["number"]] }),
    { invoice: [{ number: "1" }] },
    { invoice: [{ number: "1" }, { number: "2" }] },
  );
  expect(listOutcomes(score)).toEqual(["invoice[0].number: correct", "invoice[1].number: invented"]);
});

it("has the ANLS* of trees", () => {
  const truth = { number: "R-1", date: null, total: 12 };
  const expected = [
    { what: "Apples", quantity: 1, amount: null },
    { what: "Pears", quantity: 2, amount: 5 },
  ];
  const actual = [
    { what: "Paers", quantity: 2, amount: 5 },
    { what: "Nuts", quantity: 3, amount: 4 },
    { what: "Apple", quantity: 1, amount: null },
  ];
  const answer = { number: "R-1", date: "2024-01-01", total: 12.5 };
  expect(
    scoreValues(invoice, { invoice: [truth], items: expected }, { invoice: [answer], items: actual }).anls,
  ).toBeCloseTo(computeAnlsStar({ truth, expected }, { truth: answer, expected: actual }), 9);
});

it("converts the values of messages", () => {
  const values = {
    text: create(ValueSchema, { kind: { case: "stringValue", value: "a" } }),
    number: create(ValueSchema, { kind: { case: "numberValue", value: 0 } }),
    truth: create(ValueSchema, { kind: { case: "boolValue", value: false } }),
    none: create(ValueSchema, { kind: { case: "nullValue", value: 0 } }),
    list: create(ValueSchema, { kind: { case: "listValue", value: { values: [] } } }),
  };
  expect(toValueTables([{ slug: "document", rows: [{ values }] }])).toEqual([
    { slug: "document", rows: [{ values: { text: "a", number: 0, truth: false, none: null, list: null } }] },
  ]);
});
