import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { valueTables } from "../cells/cell-value.ts";
import { anlsStar } from "./anls-star.ts";
import { createConfiguration, getScore } from "../../testing/scoring.ts";
import type { ColumnSketch } from "../../testing/scoring.ts";

const items: readonly ColumnSketch[] = [["what"], ["quantity", "NUMBER"], ["amount", "NUMBER"]];
const invoice = createConfiguration({ invoice: [["number"], ["date", "DATE"], ["total", "NUMBER"]], items });
const keyed = createConfiguration({ invoice: [["number"]], items: [["sku", "TEXT", { isKey: true }], ...items] });

function getOutcomes(score: ReturnType<typeof getScore>): string[] {
  return score.cells.map((cell) => `${cell.table}[${String(cell.row)}].${cell.column}: ${cell.outcome}`);
}

it("says of each cell what became of it", () => {
  const score = getScore(
    invoice,
    {
      invoice: [{ number: "R-1", date: "2024-05-01", total: null }],
      items: [{ what: "Apples", quantity: 2, amount: 3 }],
    },
    { invoice: [{ number: "R-2", date: "", total: 9 }], items: [{ what: "apples.", quantity: 2, amount: null }] },
  );
  expect(getOutcomes(score)).toEqual([
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

it("counts a document without values as right when nothing was extracted", () => {
  const score = getScore(invoice, {}, {});
  expect(getOutcomes(score)).toEqual(["number", "date", "total"].map((name) => `invoice[0].${name}: correctlyEmpty`));
  expect(score).toMatchObject({ exact: true, anls: 1 });
});

it("counts a failed file as all missing, and nothing as right", () => {
  const score = getScore(invoice, { invoice: [{ number: "R-1" }], items: [{ what: "Apples" }] }, null);
  expect(getOutcomes(score)).toEqual(["invoice[0].number: missing", "items[0].what: missing"]);
  expect(score).toMatchObject({ failed: true, exact: false, anls: 0 });
  expect(getScore(invoice, {}, null)).toMatchObject({ cells: [], exact: false, anls: 0 });
});

it("leaves out columns that are excluded from extraction, and what the configuration does not have", () => {
  const some = createConfiguration({
    invoice: [["number"], ["note", "TEXT", { excludedFromExtraction: true, isKey: true }]],
  });
  const score = getScore(
    some,
    { invoice: [{ number: "1", note: "a", other: "b" }], gone: [{ a: 1 }] },
    { invoice: [{ number: "1", note: "c" }] },
  );
  expect(getOutcomes(score)).toEqual(["invoice[0].number: correct"]);
  expect(score).toMatchObject({ exact: true, anls: 1 });
});

it("takes a column named like something of every object for what it is", () => {
  const odd = createConfiguration({ document: [["constructor"]] });
  expect(getScore(odd, {}, {}).counts.outcomes).toMatchObject({ correctlyEmpty: 1, wrong: 0 });
});

it("carries the shared id of columns, by which models are compared", () => {
  const shared = createConfiguration({ invoice: [["number", "TEXT", { sharedId: "invoice-number" }]] });
  expect(getScore(shared, {}, {}).cells[0]).toMatchObject({ sharedId: "invoice-number" });
});

describe("rows of a table without keys", () => {
  it("are paired for the most right cells, in any order; invented ones come last", () => {
    const score = getScore(
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

  it("stay alone when nothing in them is alike", () => {
    const { counts } = getScore(
      invoice,
      { items: [{ what: "Apples", amount: 3 }] },
      { items: [{ what: "Zzz", amount: 777 }] },
    );
    expect(counts.outcomes).toMatchObject({ wrong: 0, missing: 2, invented: 2 });
  });

  it("are no rows when they are empty, and keep the numbers that they have in the accepted values", () => {
    const score = getScore(
      invoice,
      { items: [{ what: " " }, { what: "Pears" }] },
      { items: [{}, {}, { what: "Pears" }, { what: "Nuts" }] },
    );
    expect(getOutcomes(score).slice(3)).toEqual([
      "items[1].what: correct",
      "items[1].quantity: correctlyEmpty",
      "items[1].amount: correctlyEmpty",
      "items[2].what: invented",
    ]);
  });

  it("are as many as there are: the pairing of too many is approximate, and said to be", () => {
    const rows = (from: number, note: string) =>
      Array.from({ length: 1_000 }, (_, index) => ({
        what: `item ${String(from + index)} ${note}`,
        quantity: 1,
        amount: from + index,
      }));
    const score = getScore(invoice, { items: rows(0, "a") }, { items: rows(3, "b") });
    expect(score.tables[1]).toMatchObject({ alignment: "approximate", rows: 1_000, expectedRows: 1_000 });
    expect(score.counts.outcomes).toMatchObject({ correct: 2 * 997 + 3, wrong: 997 + 2 * 3, missing: 0 });
    const same = getScore(invoice, { items: rows(0, "a") }, { items: rows(0, "a").reverse() });
    expect(same).toMatchObject({ exact: true, anls: 1, tables: [{}, { alignment: "assignment" }] });
  });
});

describe("rows of a table with keys", () => {
  it("belong together by their keys, whatever else they say", () => {
    const { counts, tables } = getScore(
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

  it("are another row under another key, and the same one under a misread key or none", () => {
    const row = { what: "Apples", quantity: 1, amount: 3 };
    const getWrongs = (sku: string | null) =>
      getScore(keyed, { items: [{ sku: "A-1000", ...row }] }, { items: [{ sku, ...row }] }).counts.outcomes;
    expect(getWrongs("Z-9777")).toMatchObject({ correct: 0, missing: 4, invented: 4 });
    expect(getWrongs("A-1008")).toMatchObject({ correct: 3, wrong: 1 });
    expect(getWrongs(null)).toMatchObject({ correct: 3, missing: 1 });
  });

  it("of which several have one key are paired for the most right cells", () => {
    const rows = [
      { sku: "A", what: "x", amount: 1 },
      { sku: "A", what: "y", amount: 2 },
    ];
    const { counts } = getScore(keyed, { items: rows }, { items: [...rows].reverse() });
    expect(counts.outcomes).toMatchObject({ correct: 6, wrong: 0 });
  });
});

it("pairs the rows of the document's own table as they come", () => {
  const score = getScore(
    createConfiguration({ invoice: [["number"]] }),
    { invoice: [{ number: "1" }] },
    { invoice: [{ number: "1" }, { number: "2" }] },
  );
  expect(getOutcomes(score)).toEqual(["invoice[0].number: correct", "invoice[1].number: invented"]);
});

it("gives the ANLS* of trees", () => {
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
  const given = { number: "R-1", date: "2024-01-01", total: 12.5 };
  expect(
    getScore(invoice, { invoice: [truth], items: expected }, { invoice: [given], items: actual }).anls,
  ).toBeCloseTo(anlsStar({ truth, expected }, { truth: given, expected: actual }), 9);
});

it("takes the values of messages", () => {
  const values = {
    text: create(ValueSchema, { kind: { case: "stringValue", value: "a" } }),
    number: create(ValueSchema, { kind: { case: "numberValue", value: 0 } }),
    truth: create(ValueSchema, { kind: { case: "boolValue", value: false } }),
    none: create(ValueSchema, { kind: { case: "nullValue", value: 0 } }),
    list: create(ValueSchema, { kind: { case: "listValue", value: { values: [] } } }),
  };
  expect(valueTables([{ slug: "document", rows: [{ values }] }])).toEqual([
    { slug: "document", rows: [{ values: { text: "a", number: 0, truth: false, none: null, list: null } }] },
  ]);
});
