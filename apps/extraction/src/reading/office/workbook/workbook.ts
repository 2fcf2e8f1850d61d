import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ReadHiddenText } from "../../reading.ts";
import type { Archive } from "../archive.ts";
import { createHiddenCells, readCellReasons } from "./hidden-cells.ts";
import { formatNumber, readFormats, type NumberFormat } from "./number-formats.ts";
import { maxColumns, readMergedCells, toColumn } from "./merged-cells.ts";
import { placeBoxes, readSheetDrawing, type HiddenPlaces, type Range } from "./drawings.ts";
import { toHidden } from "../../hidden.ts";
import { findBelow, findMainPart, readRelations, readSource, readTree, toProblem } from "../parts.ts";
import { columnName, type GridCell, type GridRow } from "../../grid.ts";
import { scanXml } from "../../xml/tree.ts";

/** A sheet with its name, its rows, unless it is hidden, and the text that it hides. */
export interface Sheet {
  readonly name: string;
  readonly rows: readonly GridRow[] | undefined;
  readonly hidden: readonly ReadHiddenText[];
  /** Returns the names of the pictures that it shows, in their order. */
  readonly pictures: () => readonly string[];
}

/**
 * Reads the sheets of a workbook (Office Open XML), one after the other: the values as they are displayed, but dates in the format YYYY-MM-DD.
 * Sheets, rows and columns can be hidden, and so are cells whose format displays nothing, those in the color of their background, and those that
 * merged cells cover. The text of shapes is after the row in which they begin. No more than `maxCells` cells of a sheet are read. Throws for damaged documents.
 */
export function* readWorkbook(archive: Archive, maxCells: number): Generator<Sheet> {
  const main = findMainPart(archive, "xl/workbook.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const relations = readRelations(archive, main);
  const getPart = (type: string): string => relations.find((each) => each.type === type)?.target ?? "";
  const strings = readStrings(archive, getPart("sharedStrings"));
  const styles = readTree(archive, getPart("styles"));
  const formats = readFormats(styles);
  const reasons = readCellReasons(styles);
  const from1904 = /^(1|true)$/.test(findBelow(root, "workbookPr")[0]?.attributes["date1904"] ?? "");
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  for (const { attributes } of findBelow(root, "sheet")) {
    const part = targets.get(attributes["r:id"] ?? "") ?? "";
    const source = readSource(archive, part);
    if (source === undefined) continue;
    const displayed = (attributes["state"] ?? "visible") === "visible";
    const { rows, numbers, hidden, drawing, hiddenPlaces } = readSheet(source, {
      strings,
      formats,
      from1904,
      maxCells,
      displayed,
      reasons,
    });
    const drawn = readSheetDrawing(archive, part, drawing, hiddenPlaces);
    const texts = drawn.boxes.flatMap(({ paragraphs }) => paragraphs);
    yield {
      name: attributes["name"] ?? "",
      rows: displayed ? placeBoxes(rows, numbers, drawn.boxes) : undefined,
      hidden: [...hidden, ...drawn.hidden, ...(displayed ? [] : toHidden(texts.join(" "), HiddenReason.NOT_DISPLAYED))],
      pictures: displayed ? drawn.pictures : () => [],
    };
  }
}

/** Reads the shared texts of a workbook, without the pronunciation of words. */
function readStrings(archive: Archive, name: string): string[] {
  const source = readSource(archive, name);
  const strings: string[] = [];
  if (source === undefined) return strings;
  let spoken = 0;
  let inText = false;
  const fault = scanXml(source, {
    open(element) {
      if (element === "si") strings.push("");
      if (element === "rPh") spoken += 1;
      inText = element === "t" && spoken === 0;
    },
    close(element) {
      if (element === "rPh") spoken -= 1;
      inText = false;
    },
    text(text) {
      if (inText && strings.length > 0) strings[strings.length - 1] += text;
    },
  });
  if (fault !== undefined) throw toProblem(fault);
  return strings.map(unescapeText);
}

/** Replaces the escapes of characters that XML cannot contain, or does not keep, such as `_x000D_` (ECMA-376, 22.9.2.19). */
function unescapeText(text: string): string {
  return text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

interface SheetContext {
  readonly strings: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly from1904: boolean;
  readonly maxCells: number;
  readonly displayed: boolean;
  /** Why cells of a style are hidden. */
  readonly reasons: readonly (HiddenReason | undefined)[];
}

function readSheet(
  source: string,
  { strings, formats, from1904, maxCells, displayed, reasons }: SheetContext,
): {
  rows: GridRow[];
  /** The numbers of the rows. */
  numbers: number[];
  hidden: readonly ReadHiddenText[];
  drawing: string | undefined;
  hiddenPlaces: HiddenPlaces;
} {
  const rows: GridRow[] = [];
  const numbers: number[] = [];
  const hiddenRows: Range[] = [];
  let drawing: string | undefined;
  const hidden = createHiddenCells(source);
  const merged = readMergedCells(source);
  const hiddenColumns: Range[] = [];
  let cells: GridCell[] = [];
  let rowNumber = 0;
  let rowHidden = false;
  let column = -1;
  let count = 0;
  let attributes: Readonly<Record<string, string>> = {};
  let value = "";
  let collecting = false;
  let spoken = false;

  function toText(): string {
    switch (attributes["t"]) {
      case "s":
        return strings[Number(value)] ?? "";
      case "b":
        return value === "1" ? "TRUE" : "FALSE";
      case "inlineStr":
      case "str":
        return unescapeText(value);
      case "e":
        return value;
      case "d":
        return value.replace(/T00:00:00(\.0+)?Z?$/, "");
      default:
        return formatNumber(value, formats[Number(attributes["s"] ?? 0)], from1904);
    }
  }

  function endRow(): void {
    if (cells.length === 0) return;
    rows.push({ table: 0, cells });
    numbers.push(rowNumber);
  }

  const fault = scanXml(source, {
    open(name, given) {
      switch (name) {
        case "col":
          if (isTrue(given["hidden"]) || Number(given["width"]) === 0)
            addRange(hiddenColumns, { from: Number(given["min"]) - 1, to: Number(given["max"]) - 1 });
          break;
        case "row":
          rowNumber = Number(given["r"] ?? rowNumber + 1) || rowNumber + 1;
          rowHidden = isTrue(given["hidden"]) || Number(given["ht"]) === 0;
          if (rowHidden) addRange(hiddenRows, { from: rowNumber - 1, to: rowNumber - 1 });
          cells = [];
          column = -1;
          break;
        case "drawing":
          drawing = given["r:id"];
          break;
        case "c":
          column = toColumn(given["r"] ?? "") ?? column + 1;
          attributes = given;
          value = "";
          break;
        case "rPh":
          spoken = true;
          break;
        case "v":
        case "t":
          collecting = !spoken;
          break;
      }
      return count < maxCells;
    },
    close(name) {
      if (name === "v" || name === "t") collecting = false;
      else if (name === "rPh") spoken = false;
      else if (name === "c") {
        const text = column < maxColumns ? toText() : "";
        if (text.trim() === "") {
          // A number whose format displays nothing. Zeros are often not displayed, and say nothing.
          const isNumber = column < maxColumns && (attributes["t"] ?? "n") === "n";
          if (isNumber && Number(value)) hidden.add(rowNumber, value, HiddenReason.NOT_DISPLAYED);
          return;
        }
        const isHidden =
          !displayed || rowHidden || hiddenColumns.some(({ from, to }) => column >= from && column <= to);
        const place = isHidden ? "covered" : merged.judge(rowNumber - 1, column, text);
        if (place === "repeated") return;
        const style = reasons[Number(attributes["s"] ?? 0)];
        const reason = place === "covered" ? HiddenReason.NOT_DISPLAYED : hidden.judge(style);
        if (reason !== undefined) {
          hidden.add(rowNumber, text, reason);
          return;
        }
        count += 1;
        cells.push({ column, text, name: `${columnName(column)}${rowNumber}` });
      } else if (name === "row") endRow();
    },
    text(text) {
      if (collecting) value += text;
    },
  });
  if (fault !== undefined) throw toProblem(fault);
  // The row in which reading stopped.
  if (count >= maxCells && rows.at(-1)?.cells !== cells) endRow();
  const hiddenPlaces = { rows: hiddenRows, columns: hiddenColumns };
  return { rows, numbers, hidden: hidden.texts(), drawing, hiddenPlaces };
}

/** Adds a range to others, the last of which it continues if it follows. */
function addRange(ranges: Range[], added: Range): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.to + 1 === added.from) ranges[ranges.length - 1] = { from: last.from, to: added.to };
  else ranges.push(added);
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
