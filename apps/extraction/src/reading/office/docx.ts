import type { XmlElement } from "../xml/tree.ts";
import type { Archive } from "./archive.ts";
import { createFlow, type Flow } from "./flow.ts";
import { findMainPart, readRelations, readTree } from "./parts.ts";
import type { GridRow } from "../grid.ts";

/**
 * Reads the pages of a text document (Office Open XML): its headers, its paragraphs and tables, its footnotes and its footers. Only page breaks
 * that the document contains separate pages. Hidden text and tracked deletions are left out. Throws for damaged documents.
 */
export function readDocx(archive: Archive): GridRow[][] {
  const main = findMainPart(archive, "word/document.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const flow = createFlow();
  const relations = readRelations(archive, main);
  const addParts = (type: string): void => {
    const known = new Set<string>();
    for (const { target } of relations.filter((each) => each.type === type)) {
      const part = readTree(archive, target);
      // The same header is often there once for each section.
      const text = part === undefined ? "" : blockText(part);
      if (part !== undefined && !known.has(text)) addBlocks(part, flow);
      known.add(text);
    }
  };
  addParts("header");
  for (const body of root.children.filter(({ name }) => name === "body")) addBlocks(body, flow);
  addParts("footnotes");
  addParts("footer");
  return flow.pages();
}

/** Whether an element is displayed: neither a tracked deletion, nor the code of a field, nor a separator of notes. */
function isVisible({ name, attributes }: XmlElement): boolean {
  // Drawings are there twice, the second time for older programs.
  return (
    !["del", "moveFrom", "Fallback", "instrText", "delText"].includes(name) &&
    !/separator/i.test(attributes["w:type"] ?? "")
  );
}

function addBlocks(parent: XmlElement, flow: Flow): void {
  for (const child of parent.children.filter(isVisible)) {
    if (child.name === "p") addParagraph(child, flow);
    else if (child.name === "tbl") flow.table(toRows(child));
    else addBlocks(child, flow);
  }
}

function addParagraph(paragraph: XmlElement, flow: Flow): void {
  const pieces = paragraphText(paragraph).split("\f");
  pieces.forEach((text, index) => {
    if (index > 0) flow.breakPage();
    flow.paragraph(text);
  });
  // The text of shapes is beside the paragraph.
  for (const box of findShapes(paragraph)) addBlocks(box, flow);
}

function findShapes(element: XmlElement): XmlElement[] {
  return element.children
    .filter(isVisible)
    .flatMap((child) => (child.name === "txbxContent" ? [child] : findShapes(child)));
}

/** Returns the rows of a table. A cell that continues the one above it is empty. */
function toRows(table: XmlElement): { text: string; span: number }[][] {
  return findRows(table).map((row) =>
    findCells(row).map((cell) => {
      const properties = cell.children.find(({ name }) => name === "tcPr")?.children ?? [];
      const span = Number(properties.find(({ name }) => name === "gridSpan")?.attributes["w:val"] ?? 1);
      const merge = properties.find(({ name }) => name === "vMerge");
      const continued = merge !== undefined && merge.attributes["w:val"] !== "restart";
      return { text: continued ? "" : blockText(cell), span: Number.isFinite(span) ? span : 1 };
    }),
  );
}

function findRows(element: XmlElement): XmlElement[] {
  return element.children.filter(isVisible).flatMap((child) => {
    if (child.name !== "tr") return child.name === "tbl" ? [] : findRows(child);
    const properties = child.children.find(({ name }) => name === "trPr")?.children ?? [];
    return properties.some(({ name }) => name === "del" || name === "hidden") ? [] : [child];
  });
}

function findCells(element: XmlElement): XmlElement[] {
  return element.children.filter(isVisible).flatMap((child) => (child.name === "tc" ? [child] : findCells(child)));
}

/** Returns the paragraphs of a cell or part as lines. The cells of a table in it are separated by spaces. */
function blockText(element: XmlElement): string {
  return element.children
    .filter(isVisible)
    .map((child) => (child.name === "p" ? paragraphText(child) : blockText(child)))
    .filter((text) => text.trim() !== "")
    .join("\n");
}

/** Returns the text of a paragraph, with line breaks and form feeds for page breaks. */
function paragraphText(element: XmlElement): string {
  return element.children
    .filter(isVisible)
    .map((child) => {
      switch (child.name) {
        case "t":
          return child.text;
        case "tab":
          return "\t";
        case "br":
        case "cr":
          return child.attributes["w:type"] === "page" ? "\f" : "\n";
        case "noBreakHyphen":
          return "-";
        case "r":
          return isHiddenRun(child) ? "" : paragraphText(child);
        case "pPr":
        case "txbxContent":
          return "";
        default:
          return paragraphText(child);
      }
    })
    .join("");
}

function isHiddenRun(run: XmlElement): boolean {
  const properties = run.children.find(({ name }) => name === "rPr")?.children ?? [];
  return properties.some(
    ({ name, attributes }) => name === "vanish" && !/^(0|false|off)$/.test(attributes["w:val"] ?? ""),
  );
}
