import type { XmlElement } from "../xml/tree.ts";
import type { Archive } from "./archive.ts";
import { createFlow, type Flow } from "./flow.ts";
import { findMainPart, readRelations, readTree } from "./parts.ts";
import { findReferences, resolveReferences } from "./pictures.ts";
import { createDocxVisibility, type DocxVisibility } from "./docx-visibility.ts";
import type { GridRow } from "../grid.ts";
import type { ReadHiddenText } from "../reading.ts";

/** The pages of a text document, its hidden text, and the names of the pictures that it shows, in their order. */
export interface TextDocument {
  readonly pages: readonly GridRow[][];
  readonly hidden: readonly ReadHiddenText[];
  readonly pictures: () => readonly string[];
}

/**
 * Reads the pages of a text document (Office Open XML): its headers, its paragraphs and tables, its footnotes and endnotes, and its footers. Only page breaks
 * that the document contains separate pages. Hidden text and tracked deletions are returned separately. Throws for damaged documents.
 */
export function readDocx(archive: Archive): TextDocument {
  const main = findMainPart(archive, "word/document.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const flow = createFlow();
  const relations = readRelations(archive, main);
  const styles = relations.find(({ type }) => type === "styles")?.target;
  const visibility = createDocxVisibility(styles === undefined ? undefined : readTree(archive, styles));
  const illustrated: { name: string; part: XmlElement }[] = [];
  const addParts = (type: string): void => {
    const known = new Set<string>();
    for (const { target } of relations.filter((each) => each.type === type)) {
      const part = readTree(archive, target);
      // The same header is often there once for each section.
      if (part !== undefined) visibility.judge(part);
      const text = part === undefined ? "" : blockText(part, visibility);
      if (part !== undefined && !known.has(text)) addBlocks(part, flow, visibility);
      if (part !== undefined) illustrated.push({ name: target, part });
      known.add(text);
    }
  };
  addParts("header");
  visibility.judge(root);
  for (const body of root.children.filter(({ name }) => name === "body")) addBlocks(body, flow, visibility);
  illustrated.push({ name: main, part: root });
  addParts("footnotes");
  addParts("endnotes");
  addParts("footer");
  const isShown = (element: XmlElement): boolean => visibility.getReason(element) === undefined;
  return {
    pages: flow.pages(),
    hidden: visibility.hidden(),
    pictures: () =>
      illustrated.flatMap(({ name, part }) => resolveReferences(archive, name, findReferences(part, isShown))),
  };
}

/** Returns the children of an element that are displayed: not what is hidden, nor the code of fields, nor the pronunciation of words, nor the separators of notes. */
function shownIn(parent: XmlElement, visibility: DocxVisibility): XmlElement[] {
  return parent.children.filter(
    (child) =>
      visibility.getReason(child) === undefined &&
      // Drawings are there twice, the second time for older programs.
      !["Fallback", "instrText", "delText", "rt"].includes(child.name) &&
      !visibility.isCode(child) &&
      !/separator/i.test(child.attributes["w:type"] ?? ""),
  );
}

function addBlocks(parent: XmlElement, flow: Flow, visibility: DocxVisibility): void {
  for (const child of shownIn(parent, visibility)) {
    if (child.name === "p") addParagraph(child, flow, visibility);
    else if (child.name === "tbl") flow.table(toRows(child, visibility));
    else addBlocks(child, flow, visibility);
  }
}

function addParagraph(paragraph: XmlElement, flow: Flow, visibility: DocxVisibility): void {
  const pieces = paragraphText(paragraph, visibility).split("\f");
  pieces.forEach((text, index) => {
    if (index > 0) flow.breakPage();
    flow.paragraph(text);
  });
  // The text of shapes is beside the paragraph.
  for (const box of findShapes(paragraph, visibility)) addBlocks(box, flow, visibility);
}

function findShapes(element: XmlElement, visibility: DocxVisibility): XmlElement[] {
  return shownIn(element, visibility).flatMap((child) =>
    child.name === "txbxContent" ? [child] : findShapes(child, visibility),
  );
}

/** Returns the rows of a table. A cell that continues the one above it is empty. */
function toRows(table: XmlElement, visibility: DocxVisibility): { text: string; span: number }[][] {
  return findRows(table, visibility).map((row) =>
    findCells(row, visibility).map((cell) => {
      const properties = cell.children.find(({ name }) => name === "tcPr")?.children ?? [];
      const span = Number(properties.find(({ name }) => name === "gridSpan")?.attributes["w:val"] ?? 1);
      const merge = properties.find(({ name }) => name === "vMerge");
      const continued = merge !== undefined && merge.attributes["w:val"] !== "restart";
      return { text: continued ? "" : blockText(cell, visibility), span: Number.isFinite(span) ? span : 1 };
    }),
  );
}

function findRows(element: XmlElement, visibility: DocxVisibility): XmlElement[] {
  return shownIn(element, visibility).flatMap((child) =>
    child.name === "tr" ? [child] : child.name === "tbl" ? [] : findRows(child, visibility),
  );
}

function findCells(element: XmlElement, visibility: DocxVisibility): XmlElement[] {
  return shownIn(element, visibility).flatMap((child) =>
    child.name === "tc" ? [child] : findCells(child, visibility),
  );
}

/** Returns the paragraphs of a cell or part as lines, each followed by the text of its shapes. */
function blockText(element: XmlElement, visibility: DocxVisibility): string {
  return shownIn(element, visibility)
    .flatMap((child) => {
      if (child.name !== "p") return [blockText(child, visibility)];
      const shapes = findShapes(child, visibility).map((shape) => blockText(shape, visibility));
      return [paragraphText(child, visibility), ...shapes];
    })
    .filter((text) => text.trim() !== "")
    .join("\n");
}

/** Returns the text of a paragraph, with line breaks and form feeds for page breaks. */
function paragraphText(element: XmlElement, visibility: DocxVisibility): string {
  return shownIn(element, visibility)
    .map((child) => {
      switch (child.name) {
        case "t":
          return child.text;
        case "tab":
        case "ptab":
          return "\t";
        case "br":
        case "cr":
          return child.attributes["w:type"] === "page" ? "\f" : "\n";
        case "noBreakHyphen":
          return "-";
        case "pPr":
        case "txbxContent":
          return "";
        default:
          return paragraphText(child, visibility);
      }
    })
    .join("");
}
