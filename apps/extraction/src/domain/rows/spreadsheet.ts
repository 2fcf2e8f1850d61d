import type { Cell } from "./cells.ts";

/** The maximum number of rows of a sheet, of characters of a cell, and of characters of the name of a sheet. */
export const sheetLimits = { rows: 1_048_576, characters: 32_767, name: 31 } as const;

/** The parts of a workbook's file, without its sheets. */
export interface WorkbookPart {
  readonly path: string;
  readonly xml: string;
}

/** Returns the path of a sheet in the file of a workbook. Sheets are counted from 0. */
export function sheetPath(index: number): string {
  return `xl/worksheets/sheet${index + 1}.xml`;
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";
const media = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The two fills that every workbook has, in this order. A fill without a pattern is invalid, and some readers refuse the file. */
const fills =
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>';

/** The beginning and the end of a sheet. */
export const sheetStart = `${head}<worksheet xmlns="${main}"><sheetData>`;
export const sheetEnd = "</sheetData></worksheet>";

/**
 * Returns a row of a sheet, with its number, starting from 1. Texts become text cells, which are not formulas, whatever they begin with. They
 * are cut off at the limit of a cell, and characters that XML does not allow are left out.
 */
export function toSheetRow(cells: readonly Cell[], number: number): string {
  const written = cells.map((cell, index) => toSheetCell(cell, () => `${toColumnName(index)}${number}`));
  return `<row r="${number}">${written.join("")}</row>`;
}

/** Returns the parts of a workbook with this number of sheets. Each sheet has the given name, followed by its number from the second on. */
export function toWorkbook(name: string, sheets: number): WorkbookPart[] {
  const numbers = Array.from({ length: sheets }, (_, index) => index);
  const list = (toElement: (index: number) => string): string => numbers.map(toElement).join("");
  const override = (path: string, type: string): string =>
    `<Override PartName="/${path}" ContentType="${media}.${type}+xml"/>`;
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`;
  return [
    {
      path: "xl/workbook.xml",
      xml: `${head}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${list(
        (index) => `<sheet name="${sheetName(name, index)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
      )}</sheets></workbook>`,
    },
    {
      path: "xl/_rels/workbook.xml.rels",
      xml: `${head}<Relationships xmlns="${packages}/relationships">${list((index) =>
        relation(`rId${index + 1}`, "worksheet", sheetPath(index).slice("xl/".length)),
      )}${relation("styles", "styles", "styles.xml")}</Relationships>`,
    },
    {
      path: "xl/styles.xml",
      xml: `${head}<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts>${fills}<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
    },
    {
      path: "_rels/.rels",
      xml: `${head}<Relationships xmlns="${packages}/relationships">${relation("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    },
    {
      path: "[Content_Types].xml",
      xml: `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override(
        "xl/workbook.xml",
        "sheet.main",
      )}${override("xl/styles.xml", "styles")}${list((index) => override(sheetPath(index), "worksheet"))}</Types>`,
    },
  ];
}

/** Returns the name of a sheet. "History" is reserved. */
function sheetName(name: string, index: number): string {
  const number = index === 0 ? "" : ` ${index + 1}`;
  const allowed = name.replace(/[^\p{L}\p{N}_ -]/gu, "_").slice(0, sheetLimits.name - number.length);
  return allowed === "" || allowed.toLowerCase() === "history" ? `Values${number}` : `${allowed}${number}`;
}

/** Returns the element of a cell; nothing for an empty cell. */
function toSheetCell(cell: Cell, getAddress: () => string): string {
  if (cell === null || cell === "") return "";
  if (typeof cell === "number") return `<c r="${getAddress()}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${getAddress()}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c r="${getAddress()}" t="inlineStr"><is><t xml:space="preserve">${toXml(cell)}</t></is></c>`;
}

/** Returns the name of a column, which is counted from 0: A to Z, then AA to AZ, and so on. */
function toColumnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${toColumnName(Math.floor(index / 26) - 1)}${letter}`;
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  // An XML reader turns a plain carriage return into a newline.
  ["\r", "&#13;"],
]);

/** Escapes a text. `_x0041_` is the spreadsheet's own escape sequence, so its underscore is escaped. */
function toXml(text: string): string {
  return cut(text.replace(disallowed, ""))
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[&<>\r]/g, (character) => entities.get(character) ?? "");
}

/** The characters that XML 1.0 does not allow: most control characters, halves of surrogate pairs, and two others. */
const disallowed = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

/** Cuts a text off at the limit of a cell, without leaving half of a surrogate pair. */
function cut(text: string): string {
  if (text.length <= sheetLimits.characters) return text;
  return text.slice(0, sheetLimits.characters).replace(/[\ud800-\udbff]$/, "");
}
