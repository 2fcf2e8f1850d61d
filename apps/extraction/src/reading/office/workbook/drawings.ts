import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { GridRow } from "../../grid.ts";
import type { ReadHiddenText } from "../../reading.ts";
import type { XmlElement } from "../../xml/tree.ts";
import type { Archive } from "../archive.ts";
import { findDiagramTexts } from "../diagrams.ts";
import { addHidden, readShapeText, shapeFills } from "../drawing-text.ts";
import { createFlow } from "../flow.ts";
import { findBelow, readTree } from "../parts.ts";
import { findReferences, isMarkedHidden, resolveReferences } from "../pictures.ts";

/** Rows or columns that follow each other, from 0. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The hidden rows and columns of a sheet. Those that follow each other are one range. */
export interface HiddenPlaces {
  readonly rows: readonly Range[];
  readonly columns: readonly Range[];
}

/** What is drawn on a sheet. */
export interface SheetDrawing {
  /** The texts of its shapes, with the rows in which they begin, from 1. */
  readonly boxes: readonly TextBox[];
  readonly hidden: readonly ReadHiddenText[];
  /** Returns the names of the pictures that it shows, in their order. */
  readonly pictures: () => readonly string[];
}

/** The paragraphs of a shape, and the row in which it begins, from 1. */
export interface TextBox {
  readonly row: number;
  readonly paragraphs: readonly string[];
}

const nothing: SheetDrawing = { boxes: [], hidden: [], pictures: () => [] };

/** Reads what is drawn on a sheet. What only covers hidden rows or columns is hidden. A damaged drawing is left out. */
export function readSheetDrawing(
  archive: Archive,
  sheet: string,
  drawing: string | undefined,
  hiddenPlaces: HiddenPlaces,
): SheetDrawing {
  if (drawing === undefined) return nothing;
  try {
    const [part] = resolveReferences(archive, sheet, [drawing]);
    const root = part === undefined ? undefined : readTree(archive, part);
    return part === undefined || root === undefined ? nothing : readDrawing(archive, part, root, hiddenPlaces);
  } catch {
    return nothing;
  }
}

function readDrawing(archive: Archive, part: string, root: XmlElement, hiddenPlaces: HiddenPlaces): SheetDrawing {
  const boxes: TextBox[] = [];
  const hidden: ReadHiddenText[] = [];
  let diagrams = 0;

  function visit(parent: XmlElement, row: number): void {
    for (const child of parent.children) {
      // Drawings may be there twice, the second time for older programs.
      if (child.name === "Fallback") continue;
      if (isHiddenAnchor(child, hiddenPlaces) || isMarkedHidden(child)) {
        addHidden(hidden, child, HiddenReason.NOT_DISPLAYED);
      } else if (child.name === "txBody") addBox(row, readShapeText(child, hidden, getFill(parent)));
      else if (child.name === "relIds" && diagrams++ < maxDiagrams) {
        addBox(
          row,
          findDiagramTexts(archive, part, child).flatMap((text) => readShapeText(text, hidden)),
        );
      } else visit(child, /Anchor$/.test(child.name) ? findRow(child) : row);
    }
  }

  function addBox(row: number, paragraphs: readonly string[]): void {
    if (paragraphs.some((text) => text.trim() !== "")) boxes.push({ row, paragraphs });
  }

  visit(root, 0);
  const isShown = (element: XmlElement): boolean => !isHiddenAnchor(element, hiddenPlaces);
  return { boxes, hidden, pictures: () => resolveReferences(archive, part, findReferences(root, isShown)) };
}

/** The maximum number of diagrams of a sheet that are read. Each takes as long as listing the files of the archive. */
const maxDiagrams = 100;

function getFill(shape: XmlElement) {
  return shapeFills.get(shape.children.find(({ name }) => name === "spPr"));
}

/** Returns the row in which a drawing begins, from 1. */
function findRow(anchor: XmlElement): number {
  const start = anchor.children.find(({ name }) => name === "from");
  return (Number(start && findBelow(start, "row")[0]?.text) || 0) + 1;
}

/** Whether all rows, or all columns, that a drawing covers are hidden, so that it has no size. */
function isHiddenAnchor({ children }: XmlElement, { rows, columns }: HiddenPlaces): boolean {
  const ends = children.filter(({ name }) => name === "from" || name === "to");
  const isWithin = (name: string, ranges: readonly Range[]): boolean => {
    const places = ends.map((end) => Number(findBelow(end, name)[0]?.text));
    return ranges.some(({ from, to }) => places.every((at) => at >= from && at <= to));
  };
  return ends.length > 0 && (isWithin("row", rows) || isWithin("col", columns));
}

/** Puts the text boxes of a sheet among its rows, each after the row in which it begins. `numbers` are those of the rows, from 1. */
export function placeBoxes(rows: readonly GridRow[], numbers: readonly number[], boxes: readonly TextBox[]): GridRow[] {
  const placed: GridRow[] = [];
  let next = 0;
  for (const { row, paragraphs } of boxes.toSorted((one, other) => one.row - other.row)) {
    while (next < rows.length && (numbers[next] ?? 0) <= row) placed.push(rows[next++]!);
    const flow = createFlow();
    for (const text of paragraphs) flow.paragraph(text);
    // Not below the columns of the cells.
    for (const line of flow.pages().flat()) placed.push({ ...line, table: 1 });
  }
  while (next < rows.length) placed.push(rows[next++]!);
  return placed;
}
