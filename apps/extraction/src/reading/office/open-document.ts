import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { columnName, type GridCell, type GridRow } from "../grid.ts";
import { toHidden } from "../hidden.ts";
import type { ReadHiddenText } from "../reading.ts";
import type { XmlElement } from "../xml/tree.ts";
import { ArchiveProblem, type Archive } from "./archive.ts";
import { createFlow, type Flow } from "./flow.ts";
import { mark } from "../numerals.ts";
import { countParagraphs, type GetMarker } from "./open-document-lists.ts";
import { findBelow, readTree } from "./parts.ts";
import {
  collectHidden,
  findHidden,
  findImages,
  isCoveredCell,
  isHiddenBlock,
  plainText,
  type HiddenStyles,
} from "./hidden-styles.ts";
import type { TextDocument } from "./word/docx.ts";
import type { Sheet } from "./workbook/workbook.ts";

/** The maximum number of repetitions of a cell or row with text that are read. */
const maxRepeated = 1_000;
/** The number of columns that programs support. What is further to the right is not displayed. */
const maxColumns = 16_384;
/** Elements whose text is not displayed, or is not a part of the document. */
const unread: ReadonlySet<string> = new Set([
  "tracked-changes",
  "annotation",
  "deletion",
  "note-citation",
  "desc",
  "title",
  // The pronunciation of a text.
  "ruby-text",
]);

/** Tells whether an Open Document is encrypted, which its manifest says. */
export function isEncrypted(archive: Archive): boolean {
  const manifest = readTree(archive, "META-INF/manifest.xml");
  return manifest !== undefined && findBelow(manifest, "encryption-data").length > 0;
}

/** Reads the pages of a text document (Open Document): its headers, its paragraphs with their numbers, its tables, and its footers. Throws for damaged documents. */
export function readOdt(archive: Archive): TextDocument {
  const { body, root } = readContent(archive, "text");
  const flow = createFlow();
  const styles = readTree(archive, "styles.xml");
  const parts = styles === undefined ? [root] : [root, styles];
  const hidden = findHidden(parts);
  const isRead = (element: XmlElement): boolean =>
    !unread.has(element.name) && !isHiddenBlock(element) && !hidden.has(element.attributes["text:style-name"] ?? "");
  const tools: Tools = { hidden, getMarker: countParagraphs(parts, isRead) };
  const addMaster = (name: string): void => {
    for (const part of styles === undefined ? [] : findBelow(styles, name).slice(0, 10)) addBlocks(part, flow, tools);
  };
  addMaster("header");
  addBlocks(body, flow, tools);
  addMaster("footer");
  return {
    pages: flow.pages(),
    hidden: [...collectHidden(body, hidden), ...(styles ? collectHidden(styles, hidden) : [])],
    pictures: () => findImages(body, hidden),
  };
}

/**
 * Reads the sheets of a spreadsheet (Open Document): the values as they are displayed, but dates in the format YYYY-MM-DD; the text of shapes is after the row of their cell. Sheets, rows,
 * columns, and text by its style can be hidden. Throws for damaged documents.
 */
export function* readOds(archive: Archive, maxCells: number): Generator<Sheet> {
  const { body, root } = readContent(archive, "spreadsheet");
  const hidden = findHidden([root]);
  for (const table of body.children.filter(({ name }) => name === "table")) {
    const name = table.attributes["table:name"] ?? "";
    if (hidden.has(table.attributes["table:style-name"] ?? "")) {
      yield {
        name,
        rows: undefined,
        hidden: toHidden(plainText(table), HiddenReason.NOT_DISPLAYED),
        pictures: () => [],
      };
    } else yield { name, ...readTable(table, maxCells, hidden), pictures: () => findImages(table, hidden) };
  }
}

/** What decides how the paragraphs of a document are read. */
interface Tools {
  readonly hidden: HiddenStyles;
  readonly getMarker: GetMarker;
}

/** Reads the main part of a document. */
function readContent(archive: Archive, kind: string): { body: XmlElement; root: XmlElement } {
  const root = readTree(archive, "content.xml");
  const body = root === undefined ? undefined : findBelow(root, "body")[0]?.children.find(({ name }) => name === kind);
  if (root === undefined || body === undefined) throw new ArchiveProblem("The document is damaged.");
  return { body, root };
}

function addBlocks(parent: XmlElement, flow: Flow, tools: Tools): void {
  for (const child of parent.children) {
    if (unread.has(child.name) || isHiddenBlock(child)) continue;
    if (child.name === "p" || child.name === "h") {
      flow.paragraph(toText(child, tools));
      for (const part of findApart(child, tools.hidden)) addBlocks(part, flow, tools);
    } else if (child.name === "table") {
      flow.table(
        rowsOf(child).map((row) =>
          row.children
            .filter(({ name }) => /^(covered-)?table-cell$/.test(name))
            .map((cell) => ({ text: isCoveredCell(cell) ? "" : cellText(cell, tools), span: 1 })),
        ),
      );
    } else addBlocks(child, flow, tools);
  }
}

function rowsOf(table: XmlElement): XmlElement[] {
  return findBelow(table, "table-row").filter(
    ({ attributes }) => (attributes["table:visibility"] ?? "visible") === "visible",
  );
}

/** Returns the paragraphs of a cell as lines, each followed by its text boxes and notes. */
function cellText(cell: XmlElement, tools: Tools): string {
  return findParagraphs(cell)
    .flatMap((paragraph) => [
      toText(paragraph, tools),
      ...findApart(paragraph, tools.hidden).map((part) => cellText(part, tools)),
    ])
    .join("\n");
}

/** Returns the text of a paragraph with its number or bullet. */
function toText(paragraph: XmlElement, { hidden, getMarker }: Tools): string {
  return mark(paragraphText(paragraph, hidden), getMarker(paragraph));
}

function findParagraphs(element: XmlElement): XmlElement[] {
  return element.children.flatMap((child) => {
    if (unread.has(child.name) || isHiddenBlock(child)) return [];
    return child.name === "p" || child.name === "h" ? [child] : findParagraphs(child);
  });
}

/** Whether an element within a paragraph has lines of its own: a text box, a note, or a shape with text. */
function isApart({ name, children }: XmlElement): boolean {
  return (
    name === "text-box" || name === "note-body" || children.some((child) => child.name === "p" || child.name === "h")
  );
}

/** Finds the text boxes, the notes and the shapes of a paragraph, which are not in its lines. */
function findApart(element: XmlElement, hidden: HiddenStyles): XmlElement[] {
  if (unread.has(element.name) || hidden.has(element.attributes["text:style-name"] ?? "")) return [];
  return element.children.flatMap((child) =>
    unread.has(child.name) ? [] : isApart(child) ? [child] : findApart(child, hidden),
  );
}

/** Returns the text of a paragraph. White space in its source is one space; spaces and breaks are elements. */
function paragraphText(element: XmlElement, hidden: HiddenStyles): string {
  if (unread.has(element.name) || isApart(element)) return "";
  if (hidden.has(element.attributes["text:style-name"] ?? "")) return "";
  const own = element.pieces ?? [element.text];
  return own
    .map((piece, index) => {
      const child = element.children[index];
      return piece.replace(/\s+/g, " ") + (child === undefined ? "" : childText(child, hidden));
    })
    .join("");
}

function childText(child: XmlElement, hidden: HiddenStyles): string {
  switch (child.name) {
    case "s":
      return " ".repeat(Math.min(Number(child.attributes["text:c"] ?? 1) || 1, 100));
    case "tab":
      return "\t";
    case "line-break":
      return "\n";
    default:
      return paragraphText(child, hidden);
  }
}

function readTable(
  table: XmlElement,
  maxCells: number,
  styles: HiddenStyles,
): { rows: GridRow[]; hidden: readonly ReadHiddenText[] } {
  const hiddenColumns = findHiddenColumns(table);
  const rows: GridRow[] = [];
  const hidden: ReadHiddenText[] = [];
  let number = 0;
  let count = 0;
  for (const row of findBelow(table, "table-row")) {
    const repeated = Number(row.attributes["table:number-rows-repeated"] ?? 1) || 1;
    const visible = (row.attributes["table:visibility"] ?? "visible") === "visible";
    const all = readCells(row, styles);
    const isShown = ({ column }: { column: number }): boolean =>
      visible && !hiddenColumns.some(({ from, to }) => column >= from && column < to);
    const cells = all.cells.filter(isShown);
    const others = [...all.cells, ...all.boxes].filter((cell) => !isShown(cell)).map(({ text }) => text);
    if (hidden.length < maxRepeated) {
      hidden.push(...toHidden(others.join(" "), HiddenReason.NOT_DISPLAYED));
      // A row may have more hidden texts than a call may have arguments.
      if (visible) for (const each of collectHidden(row, styles)) hidden.push(each);
    }
    for (let times = 0; cells.length > 0 && times < Math.min(repeated, maxRepeated) && count < maxCells; times += 1) {
      rows.push({
        table: 0,
        cells: cells.map((cell) => ({ ...cell, name: `${columnName(cell.column)}${number + times + 1}` })),
      });
      count += cells.length;
    }
    for (const { text } of all.boxes.filter(isShown)) rows.push(toBox(text));
    number += repeated;
  }
  // Those that are not at a cell, but at the sheet.
  for (const { children } of table.children.filter(({ name }) => name === "shapes")) {
    for (const shape of children) rows.push(toBox(cellText(shape, inNoList(styles))));
  }
  return { rows, hidden };
}

/** Returns the text of a shape as a row that is not in the columns of the cells. */
function toBox(text: string): GridRow {
  return { table: 1, cells: [{ column: 0, text }] };
}

/** Lists are not expected in cells. */
function inNoList(hidden: HiddenStyles): Tools {
  return { hidden, getMarker: () => undefined };
}

/** Returns the cells of a row, and the texts of the shapes at them. */
function readCells(row: XmlElement, styles: HiddenStyles): { cells: GridCell[]; boxes: GridCell[] } {
  const cells: GridCell[] = [];
  const boxes: GridCell[] = [];
  let column = 0;
  for (const cell of row.children.filter(({ name }) => /^(covered-)?table-cell$/.test(name))) {
    const repeated = Number(cell.attributes["table:number-columns-repeated"] ?? 1) || 1;
    const date = cell.attributes["office:date-value"]?.replace(/T00:00:00(\.0+)?$/, "");
    const isHidden = isCoveredCell(cell) || styles.has(cell.attributes["table:style-name"] ?? "");
    const isShape = ({ prefix }: XmlElement): boolean => prefix === "draw";
    const own = { ...cell, children: cell.children.filter((child) => !isShape(child)) };
    const text = isHidden ? "" : (date ?? cellText(own, inNoList(styles)));
    const count = Math.min(repeated, maxRepeated, maxColumns - column);
    for (let times = 0; text.trim() !== "" && times < count; times += 1) cells.push({ column: column + times, text });
    for (const shape of cell.children.filter(isShape)) {
      const drawn = cellText(shape, inNoList(styles));
      if (drawn.trim() !== "") boxes.push({ column, text: drawn });
    }
    column += repeated;
  }
  return { cells, boxes };
}

function findHiddenColumns(table: XmlElement): { from: number; to: number }[] {
  const hidden: { from: number; to: number }[] = [];
  let column = 0;
  for (const { attributes } of findBelow(table, "table-column")) {
    const repeated = Number(attributes["table:number-columns-repeated"] ?? 1) || 1;
    if ((attributes["table:visibility"] ?? "visible") !== "visible")
      hidden.push({ from: column, to: column + repeated });
    column += repeated;
  }
  return hidden;
}
