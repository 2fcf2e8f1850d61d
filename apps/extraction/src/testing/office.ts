// Office documents for tests.
import { strFromU8, strToU8, unzipSync, zipSync, type Zippable } from "fflate";
import { writeZip, type ZipEntry } from "../service/values/zip.ts";

/** A cell of a test: a text, a number, or a date as a Date. */
export type OfficeCell = string | number | Date | null;

/** The content of a document: paragraphs, and tables as rows of cells. */
export type OfficeBlock = string | readonly (readonly OfficeCell[])[];

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

function archive(files: Readonly<Record<string, string>>): Buffer {
  const packed = Object.entries(files).map(([name, content]) => [name, strToU8(content)] as const);
  return Buffer.from(zipSync(Object.fromEntries(packed)));
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function show(cell: OfficeCell): string {
  return cell === null ? "" : cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell);
}

/** Creates the files that every document in Office Open XML has, with the relations of its main part. */
function packageFiles(main: string, relations: readonly (readonly [type: string, target: string])[]) {
  const base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const toXml = (all: readonly (readonly [type: string, target: string])[]): string =>
    `${head}<Relationships>${all.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${base}/${type}" Target="${target}"/>`).join("")}</Relationships>`;
  const [folder = "", file = ""] = main.split("/");
  return {
    "[Content_Types].xml": `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    "_rels/.rels": toXml([["officeDocument", main]]),
    [`${folder}/_rels/${file}.rels`]: toXml(relations),
  };
}

/** Creates a text document (docx). `header` is in the header of its pages. */
export function createDocx(blocks: readonly OfficeBlock[], { header = "", body = "" } = {}): Buffer {
  const paragraph = (text: string): string => `<w:p><w:r><w:t>${escape(text)}</w:t></w:r></w:p>`;
  const table = (rows: readonly (readonly OfficeCell[])[]): string =>
    `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc><w:tcPr/>${paragraph(show(cell))}</w:tc>`).join("")}</w:tr>`).join("")}</w:tbl>`;
  const content = blocks.map((block) => (typeof block === "string" ? paragraph(block) : table(block))).join("");
  return archive({
    ...packageFiles("word/document.xml", [["header", "header1.xml"]]),
    "word/header1.xml": `${head}<w:hdr>${header === "" ? "" : paragraph(header)}</w:hdr>`,
    "word/document.xml": `${head}<w:document><w:body>${content}${body}<w:sectPr/></w:body></w:document>`,
  });
}

/** Creates a workbook (xlsx). Dates and numbers with decimals have a format. `attributes` are those of each sheet. */
export function createXlsx(
  sheets: Readonly<Record<string, readonly (readonly OfficeCell[])[]>>,
  {
    attributes = {},
    columns = "",
    rowAttributes = "",
  }: { attributes?: Readonly<Record<string, string>>; columns?: string; rowAttributes?: string } = {},
): Buffer {
  const strings: string[] = [];
  const cellXml = (cell: OfficeCell, reference: string): string => {
    if (cell === null) return "";
    if (cell instanceof Date) return `<c r="${reference}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`;
    if (typeof cell === "number") return `<c r="${reference}" s="${Number.isInteger(cell) ? 0 : 2}"><v>${cell}</v></c>`;
    strings.push(cell);
    return `<c r="${reference}" t="s"><v>${strings.length - 1}</v></c>`;
  };
  const sheetXml = (rows: readonly (readonly OfficeCell[])[]): string =>
    `${head}<worksheet>${columns}<sheetData>${rows.map((cells, row) => `<row r="${row + 1}"${row === 1 ? rowAttributes : ""}>${cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`)).join("")}</row>`).join("")}</sheetData></worksheet>`;
  const names = Object.keys(sheets);
  const parts = Object.values(sheets).map((rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(rows)]);
  return archive({
    ...packageFiles("xl/workbook.xml", [
      ...names.map((_, index) => ["worksheet", `worksheets/sheet${index + 1}.xml`] as const),
      ["sharedStrings", "sharedStrings.xml"],
      ["styles", "styles.xml"],
    ]),
    "xl/workbook.xml": `${head}<workbook><sheets>${names.map((name, index) => `<sheet name="${escape(name)}" sheetId="${index + 1}" r:id="rId${index + 1}" ${attributes[name] ?? ""}/>`).join("")}</sheets></workbook>`,
    ...Object.fromEntries(parts),
    "xl/sharedStrings.xml": `${head}<sst>${strings.map((text) => `<si><t>${escape(text)}</t></si>`).join("")}</sst>`,
    "xl/styles.xml": `${head}<styleSheet><numFmts><numFmt numFmtId="164" formatCode="#,##0.00\\ &quot;€&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="2"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
  });
}

/** Creates a presentation (pptx) with slides of paragraphs. The slides with these numbers, from 0, are hidden. */
export function createPptx(slides: readonly (readonly string[])[], hidden: readonly number[] = []): Buffer {
  const slide = (paragraphs: readonly string[], index: number): string =>
    `${head}<p:sld${hidden.includes(index) ? ' show="0"' : ""}><p:cSld><p:spTree><p:sp><p:txBody>${paragraphs.map((text) => `<a:p><a:r><a:t>${escape(text)}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
  const parts = slides.map((paragraphs, index) => [`ppt/slides/slide${index + 1}.xml`, slide(paragraphs, index)]);
  return archive({
    ...packageFiles(
      "ppt/presentation.xml",
      slides.map((_, index) => ["slide", `slides/slide${index + 1}.xml`] as const),
    ),
    "ppt/presentation.xml": `${head}<p:presentation><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    ...Object.fromEntries(parts),
  });
}

/** Creates a document in Open Document: a text document from blocks, or a spreadsheet from its only table. */
export function createOpenDocument(
  kind: "text" | "spreadsheet",
  blocks: readonly OfficeBlock[],
  manifest = "",
): Buffer {
  const paragraph = (text: string): string => `<text:p>${escape(text)}</text:p>`;
  const cell = (value: OfficeCell): string =>
    value === null
      ? "<table:table-cell/>"
      : `<table:table-cell${value instanceof Date ? ` office:date-value="${show(value)}"` : ""}>${paragraph(value instanceof Date ? "some day" : show(value))}</table:table-cell>`;
  const table = (rows: readonly (readonly OfficeCell[])[]): string =>
    `<table:table table:name="Sheet1">${rows.map((cells) => `<table:table-row>${cells.map(cell).join("")}</table:table-row>`).join("")}</table:table>`;
  const content = blocks.map((block) => (typeof block === "string" ? paragraph(block) : table(block))).join("");
  return Buffer.from(
    zipSync({
      mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind}`), { level: 0 }],
      "content.xml": strToU8(
        `${head}<office:document-content><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
      ),
      "META-INF/manifest.xml": strToU8(`${head}<manifest:manifest>${manifest}</manifest:manifest>`),
    }),
  );
}

/** Adds files to a document, or replaces them. A replacement may be a function of the text that the file had. */
export function changeFiles(
  document: Uint8Array,
  changes: Readonly<Record<string, string | Uint8Array | ((text: string) => string)>>,
): Buffer {
  const files = unzipSync(document);
  for (const [name, change] of Object.entries(changes)) {
    const content = typeof change === "function" ? change(strFromU8(files[name] ?? new Uint8Array())) : change;
    files[name] = typeof content === "string" ? strToU8(content) : new Uint8Array(content);
  }
  // The type of an Open Document is not compressed.
  const entries = Object.entries(files).map(([name, content]): [string, Zippable[string]] => [
    name,
    [content, { level: name === "mimetype" ? 0 : 6 }],
  ]);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}

/** Creates the relations of a part of a document in Office Open XML, by their identifiers. */
export function createRelations(targets: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  return `${head}<Relationships>${Object.entries(targets)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="${base}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;
}

/** Creates the beginning of a compound file with streams of these names, as old and encrypted Office documents are. */
export function createCompound(...streams: readonly string[]): Buffer {
  const signature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  return Buffer.concat([
    signature,
    Buffer.alloc(504),
    ...streams.map((name) => Buffer.from(name.padEnd(64, "\0"), "utf16le")),
  ]);
}

/** Creates a document (docx) whose main part unpacks to the given number of mebibytes. */
export async function createBomb(mebibytes: number): Promise<Buffer> {
  const piece = Buffer.alloc(1024 * 1024, " ");
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield* [
      { path: "[Content_Types].xml", bytes: [Buffer.from("<Types/>")] },
      { path: "word/document.xml", bytes: Array.from({ length: mebibytes }, () => piece) },
    ];
  }
  const written: Uint8Array[] = [];
  for await (const bytes of writeZip(entries())) written.push(bytes);
  return Buffer.concat(written);
}
