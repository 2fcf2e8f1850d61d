import { toFilename } from "./download.ts";

describe("the file of exported values", () => {
  it("is named after the model and its table, whatever characters their names have", () => {
    expect(toFilename("Invoices / 2026", "line_items", "CSV")).toBe("invoices-2026-line-items.csv");
    expect(toFilename("Rechnungen für Büro", undefined, "XLSX")).toBe("rechnungen-für-büro.xlsx");
    expect(toFilename("..", undefined, "JSONL")).toBe("values.jsonl");
  });
});
