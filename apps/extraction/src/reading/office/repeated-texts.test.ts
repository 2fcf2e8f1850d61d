import { fromBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { changeFiles, createOpenDocument, createXlsx } from "../../testing/office.ts";
import { createDocumentReader } from "../index.ts";

describe("small spreadsheets with much more text than is read", () => {
  const reader = createDocumentReader({ timeoutMs: 60_000 });
  afterAll(() => reader.close());

  async function read(bytes: Uint8Array) {
    const { text, problem, omissions } = await reader.read({ bytes, filename: "a", contentType: "" });
    expect(problem).toBeUndefined();
    const lines = fromBinary(DocumentTextSchema, text).pages.flatMap((page) => page.lines);
    return { lines: lines.length, longest: Math.max(...lines.map((line) => line.text.length)), omissions };
  }
  const repeat = (count: number, toText: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => toText(index)).join("");

  it("are read to the limit of characters if many cells refer to a long text", async () => {
    const rows = repeat(3_000, (at) => `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>0</v></c></row>`);
    const bytes = changeFiles(createXlsx({ S: [] }), {
      "xl/sharedStrings.xml": `<sst><si><t>${"word ".repeat(6_500)}</t></si></sst>`,
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    });
    expect(await read(bytes)).toEqual({
      ...{ lines: 16, longest: 32_499 },
      omissions: expect.arrayContaining(["Only the first 500000 characters were read."]),
    });
  });

  it("are read to the limit of lines if many rows are repeated", async () => {
    const row = `<table:table-row table:number-rows-repeated="1000"><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row>`;
    const bytes = changeFiles(createOpenDocument("spreadsheet", []), {
      "content.xml": `<d><office:body><office:spreadsheet><table:table>${repeat(20_000, () => row)}</table:table></office:spreadsheet></office:body></d>`,
    });
    expect(await read(bytes)).toEqual({
      ...{ lines: 50_000, longest: 1 },
      omissions: expect.arrayContaining(["Only the first 50000 lines were read."]),
    });
  });
});
