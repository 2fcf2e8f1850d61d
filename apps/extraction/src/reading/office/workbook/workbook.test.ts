import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { changeFiles, createOpenDocument, createXlsx } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

async function read(bytes: Uint8Array) {
  const source = { bytes: new Uint8Array(bytes), filename: "", contentType: "" };
  const { pages } = await readDocument(source, defaultLimits);
  return {
    lines: pages.flatMap((page) => page.lines.map(({ text }) => text)),
    hidden: pages.flatMap(({ hidden = [] }) => hidden),
  };
}

const toXlsx = (rows: string, more = "", strings = ""): Buffer =>
  changeFiles(createXlsx({ S: [] }), {
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData>${more}</worksheet>`,
    "xl/sharedStrings.xml": `<sst>${strings}</sst>`,
  });
const toCell = (name: string, text: string): string => `<c r="${name}" t="inlineStr"><is><t>${text}</t></is></c>`;

describe("the cells of a sheet", () => {
  it("have no escapes of characters, and are without the pronunciation of words", async () => {
    const strings = `<si><t>one_x000D_\ntwo _x005F_x000D_</t></si><si><r><t>東</t></r><r><t>京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>`;
    const cells = `<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><r><t>大阪</t></r><rPh sb="0" eb="2"><t>オオサカ</t></rPh></is></c><c r="D1" t="str"><v>a_x0009_b</v></c>`;
    const { lines } = await read(toXlsx(`<row r="1">${cells}</row>`, "", strings));
    expect(lines).toEqual(["one\t東京\t大阪\ta b", "two _x000D_"]);
  });

  it("are hidden if another cell covers them, with which they were merged", async () => {
    const rows = ["1", "2", "3"].map(
      (row) => `<row r="${row}">${["A", "B", "C"].map((column) => toCell(column + row, column + row)).join("")}</row>`,
    );
    const merged = (ref: string): string => `<mergeCells count="1"><mergeCell ref="${ref}"/></mergeCells>`;
    expect(await read(toXlsx(rows.join(""), merged("B1:C2")))).toEqual({
      lines: ["A1\tB1", "A2", "A3\tB3\tC3"],
      hidden: [
        { text: "C1", reason: HiddenReason.NOT_DISPLAYED },
        { text: "B2 C2", reason: HiddenReason.NOT_DISPLAYED },
      ],
    });
    expect((await read(toXlsx(rows.join(""), merged("B2:C1048576")))).lines).toEqual(["A1\tB1\tC1", "A2\tB2", "A3"]);
    const repeated = `<row r="1">${["A", "B"].map((column) => toCell(`${column}1`, "same")).join("")}</row>`;
    expect(await read(toXlsx(repeated, merged("A1:B1")))).toEqual({ lines: ["same"], hidden: [] });
    const content = (kind: string, table: string): Record<string, string> => ({
      "content.xml": `<d><office:body><office:${kind}>${table}</office:${kind}></office:body></d>`,
    });
    const table = `<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>shown</text:p></table:table-cell><table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell></table:table-row></table:table>`;
    for (const kind of ["spreadsheet", "text"] as const) {
      const document = changeFiles(createOpenDocument(kind, []), content(kind, table));
      expect(await read(document)).toMatchObject({ lines: ["shown"], hidden: [{ text: "covered" }] });
    }
  });

  it("are hidden if there is no section of their format for them, and left out if they are zeros", async () => {
    const cells = [5, -7, 0].map((value, column) => `<c r="${"ABC"[column]}1" s="1"><v>${value}</v></c>`);
    const workbook = changeFiles(toXlsx(`<row r="1">${cells.join("")}</row>`), {
      "xl/styles.xml": `<s><numFmts><numFmt numFmtId="164" formatCode="0.0;;"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></s>`,
    });
    expect(await read(workbook)).toEqual({
      lines: ["5.0"],
      hidden: [{ text: "-7", reason: HiddenReason.NOT_DISPLAYED }],
    });
  });
});
