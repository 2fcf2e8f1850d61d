import { fromBinary } from "@bufbuild/protobuf";
import { zipSync } from "fflate";
import {
  DocumentTextSchema,
  TextSource,
  type DocumentText,
} from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { sheetEnd, sheetPath, sheetStart, toSheetRow, toWorkbook } from "../../domain/rows/spreadsheet.ts";
import { writeZip, type ZipEntry } from "../../service/values/zip.ts";
import {
  changeFiles,
  createBomb,
  createCompound,
  createDocx,
  createOpenDocument,
  createPptx,
  createRelations,
  createXlsx,
} from "../../testing/office.ts";
import { createDocumentReader, pageTexts } from "../index.ts";
import { readDocument } from "../document.ts";
import { defaultLimits } from "../limits.ts";

const table = [
  ["Item", "Qty", "Amount"],
  ["Steel part", null, 60.5],
  ["Brass part", 2, 40],
] as const;
const day = new Date("2026-03-31");

describe("reading Office documents", () => {
  const reader = createDocumentReader({ maxPages: 5, timeoutMs: 60_000 });
  afterAll(() => reader.close());

  async function read(bytes: Uint8Array, filename = "a"): Promise<DocumentText> {
    const { text, problem } = await reader.read({ bytes, filename, contentType: "" });
    expect(problem).toBeUndefined();
    return fromBinary(DocumentTextSchema, text);
  }
  const linesOf = ({ pages }: DocumentText): string[][] => pages.map((page) => page.lines.map(({ text }) => text));
  const problemOf = async (bytes: Uint8Array, filename = "a") =>
    (await reader.read({ bytes, filename, contentType: "" })).problem;

  it.each([
    ["docx", createDocx(["Invoice 4711", table, "Total & more"], { header: "Acme Ltd" }), ["Acme Ltd"]],
    ["odt", createOpenDocument("text", ["Invoice 4711", table, "Total & more"]), []],
  ])("returns the paragraphs and tables of %s, with the cells below their headings", async (_, bytes, header) => {
    const text = await read(bytes);
    expect(linesOf(text)).toEqual([
      [...header, "Invoice 4711", "Item\tQty\tAmount", "Steel part\t60.5", "Brass part\t2\t40", "Total & more"],
    ]);
    const [page] = text.pages;
    const at = (line: string) => page?.lines.find((each) => each.text.startsWith(line))?.words.at(-1)?.box?.x;
    expect(at("Steel")).toBe(at("Item"));
    expect([page?.width, page?.source, page?.sheet]).toEqual([0, TextSource.TEXT, ""]);
  });

  it("returns text boxes and notes after their paragraphs, also in cells, and aligned text with tabs", async () => {
    const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
    const box = `<w:r><w:pict><v:textbox><w:txbxContent><w:p>${run("in a box")}</w:p></w:txbxContent></v:textbox></w:pict></w:r>`;
    const body = `<w:tbl><w:tr><w:tc><w:p>${run("cell")}${box}</w:p></w:tc></w:tr></w:tbl><w:p>${run("left")}<w:r><w:ptab/></w:r>${run("right")}${box}</w:p>`;
    const docx = changeFiles(createDocx([], { body }), {
      "word/_rels/document.xml.rels": createRelations({ r1: ["endnotes", "endnotes.xml"] }),
      "word/endnotes.xml": `<w:endnotes><w:endnote><w:p>${run("endnote")}</w:p></w:endnote></w:endnotes>`,
    });
    expect(linesOf(await read(docx))).toEqual([["cell", "in a box", "left\tright", "in a box", "endnote"]]);
    const frame = `<draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame>`;
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>2 percent</text:p></text:note-body></text:note>`;
    const toContent = (kind: string, xml: string): Record<string, string> => ({
      "content.xml": `<d><office:body><office:${kind}>${xml}</office:${kind}></office:body></d>`,
    });
    const table = `<table:table><table:table-row><table:table-cell><text:h>cell${frame}</text:h></table:table-cell></table:table-row></table:table>`;
    const odt = toContent("text", `${table}<text:p>Total 100${note} EUR${frame}</text:p>`);
    expect(linesOf(await read(changeFiles(createOpenDocument("text", []), odt)))).toEqual([
      ["cell", "in a box", "Total 100 EUR", "2 percent", "in a box"],
    ]);
    const shape = `<draw:custom-shape><text:p>in a shape</text:p><text:p>below</text:p></draw:custom-shape>`;
    const remark = `<office:annotation><text:p>remark</text:p></office:annotation>`;
    const shapes = toContent("text", `<text:p>before${shape} and ${remark}after</text:p>`);
    expect(linesOf(await read(changeFiles(createOpenDocument("text", []), shapes)))).toEqual([
      ["before and after", "in a shape", "below"],
    ]);
    const comment = `<table:table><table:table-row><table:table-cell><office:annotation><text:p>comment</text:p></office:annotation><text:p>12.50</text:p></table:table-cell></table:table-row></table:table>`;
    const ods = changeFiles(createOpenDocument("spreadsheet", []), toContent("spreadsheet", comment));
    expect(linesOf(await read(ods))).toEqual([["12.50"]]);
  });

  it("returns the sheets of xlsx as pages with named cells, as they are displayed", async () => {
    const bytes = createXlsx({
      Items: table,
      "More & more": [
        ["Date", day],
        [null, 3],
      ],
    });
    const text = await read(bytes);
    expect(linesOf(text)).toEqual([
      ["Item\tQty\tAmount", "Steel part\t60.50", "Brass part\t2\t40"],
      ["Date\t2026-03-31", "3"],
    ]);
    expect(text.pages.map(({ sheet, source }) => [sheet, source])).toEqual([
      ["Items", TextSource.CELL],
      ["More & more", TextSource.CELL],
    ]);
    expect(text.pages[0]?.lines[1]?.cells.map(({ name, offset }) => [name, offset])).toEqual([
      ["A2", 0],
      ["C2", 11],
    ]);
  });

  it("returns the table of ods and of separated values with named cells", async () => {
    for (const [bytes, name] of [
      [
        createOpenDocument("spreadsheet", [
          [
            ["Date", null, day],
            ["Total", 7],
          ],
        ]),
        "a.ods",
      ],
      [Buffer.from("Date;;2026-03-31\nTotal;7\n"), "a.csv"],
    ] as const) {
      const text = await read(bytes, name);
      expect(linesOf(text)).toEqual([["Date\t2026-03-31", "Total\t7"]]);
      expect(text.pages[0]?.lines.map(({ cells }) => cells.map((cell) => cell.name))).toEqual([
        ["A1", "C1"],
        ["A2", "B2"],
      ]);
    }
  });

  it("returns the slides of pptx as pages", async () => {
    const text = await read(createPptx([["Offer", "Total 12.00"], ["secret"], ["End"]], [1]));
    expect(linesOf(text)).toEqual([["Offer", "Total 12.00"], ["End"]]);
  });

  it("leaves out what is hidden or deleted", async () => {
    const run = (properties: string, text: string) => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
    const body = `<w:p>${run("<w:vanish/>", "hidden ")}${run('<w:vanish w:val="0"/>', "seen ")}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:ins>${run("", "inserted")}</w:ins></w:p>`;
    expect(linesOf(await read(createDocx([], { body })))).toEqual([["seen inserted"]]);
    const rows = [
      ["A", "B", "C"],
      ["hidden", "row"],
      ["x", "y", "z"],
    ];
    const options = {
      attributes: { Secret: 'state="hidden"' },
      columns: '<cols><col min="2" max="2" hidden="1"/></cols>',
      rowAttributes: ' hidden="1"',
    };
    expect(linesOf(await read(createXlsx({ Seen: rows, Secret: rows }, options)))).toEqual([["A\tC", "x\tz"]]);
    const flat = { ...options, columns: '<cols><col min="2" max="2" width="0"/></cols>', rowAttributes: ' ht="0"' };
    expect(linesOf(await read(createXlsx({ Seen: rows }, flat)))).toEqual([["A\tC", "x\tz"]]);
  });

  it("leaves out the code of fields, and the pronunciation of words", async () => {
    const run = (content: string): string => `<w:r>${content}</w:r>`;
    const mark = (type: string): string => run(`<w:fldChar w:fldCharType="${type}"/>`);
    const field = (code: string, result: string): string =>
      `${mark("begin")}${code}${mark("separate")}${run(`<w:t>${result}</w:t>`)}${mark("end")}`;
    const merged = field(run("<w:instrText>MERGEFIELD x</w:instrText>"), "inner");
    const chosen = field(`${run("<w:instrText>IF</w:instrText>")}${merged}`, "outer ");
    const ruby = run(
      `<w:ruby><w:rt>${run("<w:t>spoken</w:t>")}</w:rt><w:rubyBase>${run("<w:t>word</w:t>")}</w:rubyBase></w:ruby>`,
    );
    const open = `<w:p>${mark("begin")}${run("<w:t>never ends</w:t>")}</w:p>`;
    const docx = createDocx([], { body: `<w:p>${chosen}${ruby}</w:p><w:p>${merged}</w:p>${open}` });
    expect(linesOf(await read(docx))).toEqual([["outer word", "inner", "never ends"]]);
    const spoken = `<text:p><text:ruby><text:ruby-base>word</text:ruby-base><text:ruby-text>spoken</text:ruby-text></text:ruby></text:p>`;
    const odt = changeFiles(createOpenDocument("text", []), {
      "content.xml": `<d><office:body><office:text>${spoken}</office:text></office:body></d>`,
    });
    expect(linesOf(await read(odt))).toEqual([["word"]]);
  });

  it("reads the spreadsheets that it exports itself", async () => {
    const rows = [
      ["File", "Total"],
      ["a.pdf", 12.5],
    ].map((cells, index) => toSheetRow(cells, index + 1));
    const parts = toWorkbook("Values", 1).map(({ path, xml }) => ({ path, bytes: [Buffer.from(xml)] }));
    const sheet = Buffer.from(sheetStart + rows.join("") + sheetEnd);
    const written: Uint8Array[] = [];
    async function* entries(): AsyncGenerator<ZipEntry> {
      yield* [...parts, { path: sheetPath(0), bytes: [sheet] }];
    }
    for await (const piece of writeZip(entries())) written.push(piece);
    expect(linesOf(await read(Buffer.concat(written)))).toEqual([["File\tTotal", "a.pdf\t12.5"]]);
  });

  it("reads attachments of every kind, with their names", async () => {
    const part = (name: string, bytes: Buffer) =>
      `--x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}\r\n`;
    const parts = [
      part("a.docx", createDocx(["in a document"])),
      part("b.xlsx", createXlsx({ S: [["in a sheet"]] })),
      part("c.ods", createOpenDocument("spreadsheet", [[["in another"]]])),
    ];
    const message = `From: a@b.c\r\nTo: b@b.c\r\nMessage-ID: <1@x>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${parts.join("")}--x--\r\n`;
    const { text } = await reader.read({ bytes: Buffer.from(message), filename: "a.eml", contentType: "" });
    expect(
      pageTexts(text)
        .map(({ attachment, text: each, source }) => [attachment, each, source])
        .slice(1),
    ).toEqual([
      ["a.docx", "in a document\n", TextSource.TEXT],
      ["b.xlsx", "in a sheet\n", TextSource.CELL],
      ["c.ods", "in another\n", TextSource.CELL],
    ]);
  });

  const documents = {
    docx: createDocx(["Invoice"]),
    xlsx: createXlsx({ S: [["Invoice"]] }),
    pptx: createPptx([["Invoice"]]),
    odt: createOpenDocument("text", ["Invoice"]),
    ods: createOpenDocument("spreadsheet", [[["Invoice"]]]),
  };

  it.each(Object.entries(documents))("reports damaged and encrypted documents in %s", async (format, bytes) => {
    const damaged = bytes.subarray(0, bytes.length - 60);
    expect(await problemOf(damaged)).toEqual({
      code: ReadProblem.UNREADABLE_FILE,
      message: "The document is damaged.",
    });
    const locked = Buffer.from(bytes);
    locked[6] = 1;
    const encrypted = format.startsWith("od")
      ? createOpenDocument("text", ["x"], "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>")
      : locked;
    expect(await problemOf(encrypted)).toMatchObject({ code: ReadProblem.ENCRYPTED_FILE });
  });

  it.each([
    ["docx", createDocx([])],
    ["xlsx", createXlsx({ S: [] })],
    ["pptx", createPptx([])],
    ["odt", createOpenDocument("text", [])],
    ["ods", createOpenDocument("spreadsheet", [])],
  ])("reports %s without text", async (_, bytes) => {
    expect(await problemOf(bytes)).toMatchObject({ code: ReadProblem.EMPTY_DOCUMENT });
  });

  it.each([
    ["an encrypted document", ["EncryptedPackage"], ReadProblem.ENCRYPTED_FILE, "needs a password"],
    ["an old document", ["WordDocument"], ReadProblem.UNSUPPORTED_FORMAT, "Save the document as .docx"],
    ["an old workbook", ["Workbook"], ReadProblem.UNSUPPORTED_FORMAT, "Save the document as .xlsx"],
    ["an old presentation", ["PowerPoint Document"], ReadProblem.UNSUPPORTED_FORMAT, "Save the document as .pptx"],
    ["another compound file", ["x"], ReadProblem.UNSUPPORTED_FORMAT, "are not read"],
  ])("reports %s", async (_, streams, code, message) => {
    expect(await problemOf(createCompound(...streams))).toEqual({ code, message: expect.stringContaining(message) });
  });

  it("reads no more of endless documents than the limits allow", async () => {
    expect(await problemOf(await createBomb(100))).toEqual({
      code: ReadProblem.UNREADABLE_FILE,
      message: "The document is larger than 96 MiB when it is unpacked.",
    });
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`word/${n}`, new Uint8Array()]));
    expect(await problemOf(zipSync({ "[Content_Types].xml": new Uint8Array(), ...many }))).toMatchObject({
      message: "The document has more than 10000 files.",
    });
    const deep = "<w:x>".repeat(100_000);
    expect(await problemOf(createDocx([], { body: deep }))).toMatchObject({
      message: expect.stringContaining("nested"),
    });
    const dtd = createDocx([], { body: '<!DOCTYPE x [<!ENTITY e "x">]>' });
    expect(await problemOf(dtd)).toMatchObject({ code: ReadProblem.UNREADABLE_FILE });
    const far = changeFiles(createOpenDocument("spreadsheet", []), {
      "content.xml": `<d><office:body><office:spreadsheet><table:table><table:table-row><table:table-cell><text:p>near</text:p></table:table-cell><table:table-cell table:number-columns-repeated="1000000000"/><table:table-cell><text:p>far</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></d>`,
    });
    expect(linesOf(await read(far))).toEqual([["near"]]);
    const rows = Array.from({ length: 3_000 }, (_, row) => [`row ${row}`, row]);
    const source = { bytes: createXlsx({ S: rows, T: rows }), filename: "", contentType: "" };
    const { pages, omissions } = await readDocument(source, { ...defaultLimits, maxLines: 200 });
    expect(pages.map(({ lines }) => lines.at(-1)?.text)).toEqual(["row 199\t199"]);
    expect(omissions).toEqual(["Only the first 200 lines were read."]);
  });
});
