import { create } from "@bufbuild/protobuf";
import {
  ContradictionCode,
  ExtractedTableSchema,
  type ExtractedTable,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createConfiguration } from "../testing/documents.ts";
import { contradiction, findContradictions } from "./contradictions.ts";

const schema = createConfiguration({
  invoice: [
    ["number", "Invoice number"],
    ["net", "Net amount", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["shipping", "Shipping cost", "NUMBER"],
    ["discount", "Discount", "NUMBER"],
    ["total", "Total amount", "NUMBER"],
    ["paid", "Prepaid amount", "NUMBER"],
    ["due", "Amount due", "NUMBER"],
  ],
});

function invoice(sums: Readonly<Record<string, number>>): ExtractedTable {
  const values = Object.entries(sums).map(([slug, value]) => [slug, { kind: { case: "numberValue" as const, value } }]);
  return create(ExtractedTableSchema, { slug: "invoice", rows: [{ values: Object.fromEntries(values) }] });
}

const found = (sums: Readonly<Record<string, number>>) => findContradictions(schema, [invoice(sums)]);

describe("findContradictions", () => {
  test("a total that is not net + tax is a contradiction between the three", () => {
    const [only, ...more] = found({ net: 100, tax: 19, total: 191 });
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      code: ContradictionCode.TOTAL_MISMATCH,
      columns: ["invoice.net", "invoice.tax", "invoice.total"],
      message: "100.00 and the tax of 19.00 are not the total of 191.00",
    });
  });

  test.each([
    ["sums that add up", { net: 100, tax: 19, total: 119 }],
    ["a total that is rounded to five cents", { net: 100, tax: 19, total: 119.05 }],
    ["a missing sum", { net: 100, total: 191 }],
    ["shipping that was added after the net amount", { net: 100, tax: 19, shipping: 5, total: 124 }],
    ["shipping that is part of the net amount", { net: 100, tax: 19, shipping: 5, total: 119 }],
    ["a discount and shipping", { net: 100, tax: 19, shipping: 5, discount: 10, total: 114 }],
    ["a credit note", { net: -100, tax: -19, total: -119 }],
    ["no sums at all", {}],
  ])("%s is no contradiction", (_, sums) => expect(found(sums)).toEqual([]));

  test("an amount due that is not the total without what was paid is a contradiction", () => {
    expect(found({ total: 119, paid: 19, due: 100 })).toEqual([]);
    expect(found({ total: 119, due: 100 })).toEqual([]);
    expect(found({ total: 119, paid: 19, due: 119 }).map(({ code }) => code)).toEqual([ContradictionCode.DUE_MISMATCH]);
  });

  test("what the tables carry is returned once", () => {
    const table = invoice({ net: 100, tax: 19, total: 191 });
    table.contradictions.push(...findContradictions(schema, [table]));
    table.contradictions.push(contradiction(ContradictionCode.ROW_NUMBER_GAP, "3 is missing", ["items.position"]));
    expect(findContradictions(schema, [table])).toEqual(table.contradictions);
  });
});
