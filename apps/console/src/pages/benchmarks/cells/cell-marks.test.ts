import type { CellResult } from "@switchyard/client";
import { listMarks } from "./cell-marks.ts";

describe("the places of the cells of a run", () => {
  it("are where the extracted value stands, or else the accepted one", () => {
    const cell = { table: "invoice", row: 0, column: "total", evidence: null } as unknown as CellResult;
    const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.04 };
    const cells = [
      { ...cell, expected: 12.5, actual: 13, evidence: { page: 2, quote: "13,00", box } },
      { ...cell, column: "number", expected: "RE-7", actual: null },
      { ...cell, column: "date", expected: "2026-03-01", actual: null },
      { ...cell, column: "iban", expected: null, actual: null },
    ] as unknown as CellResult[];
    const pages = [
      { number: 1, text: "Invoice RE-7\n" },
      { number: 2, text: "13,00\n" },
    ] as unknown as Parameters<typeof listMarks>[1];
    expect(listMarks(cells, pages, ({ expected, actual }) => `${String(expected)} / ${String(actual)}`)).toEqual([
      { key: "invoice.0.total", label: "12.5 / 13", page: 2, quote: "13,00", box },
      { key: "invoice.0.number", label: "RE-7 / null", page: 1, quote: "RE-7", box: null },
    ]);
  });
});
