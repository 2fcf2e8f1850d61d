import type { XmlElement } from "../../xml/tree.ts";
import type { Archive } from "../archive.ts";
import { createFlow, type Flow } from "../flow.ts";
import { findDiagramTexts } from "../diagrams.ts";
import { readShapeText } from "../drawing-text.ts";
import { findMainPart, readRelations, readTree } from "../parts.ts";
import { findReferences, resolveReferences } from "../pictures.ts";
import { createDocxVisibility, type DocxVisibility } from "./docx-visibility.ts";
import { readFormField, readSymbol } from "./form-fields.ts";
import type { Chunks } from "./chunks.ts";
import { createNumbering, type Numbering } from "./numbering.ts";
import { createStyles } from "./styles.ts";
import { mark } from "../../numerals.ts";
import type { GridRow } from "../../grid.ts";
import type { ReadHiddenText } from "../../reading.ts";

/** What decides how the elements of a document are read. */
interface Tools {
  readonly visibility: DocxVisibility;
  readonly numbering: Numbering;
  /** Returns the lines of a document in another format at this place, once. */
  readonly readChunk: (element: XmlElement) => readonly string[];
  /** Returns the paragraphs of a diagram (SmartArt). */
  readonly readDiagram: (element: XmlElement) => readonly string[];
}

/** The pages of a text document, its hidden text, and the names of the pictures that it shows, in their order. */
export interface TextDocument {
  readonly pages: readonly GridRow[][];
  readonly hidden: readonly ReadHiddenText[];
  readonly pictures: () => readonly string[];
}

/**
 * Reads the pages of a text document (Office Open XML): its headers, its paragraphs with their numbers, its tables, text boxes, diagrams and
 * documents in other formats, its footnotes and endnotes, and its footers. Only page breaks that the document contains separate pages. Hidden text
 * and tracked deletions are returned separately. Throws for damaged documents.
 */
export function readDocx(archive: Archive, chunks?: Chunks): TextDocument {
  const main = findMainPart(archive, "word/document.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const flow = createFlow();
  const relations = readRelations(archive, main);
  const findPart = (wanted: string): string => relations.find(({ type }) => type === wanted)?.target ?? "";
  const findStyles = createStyles(readTree(archive, findPart("styles")));
  const visibility = createDocxVisibility(findStyles);
  const numbering = createNumbering(readNumbering(archive, findPart("numbering")), findStyles);
  const isShown = (element: XmlElement): boolean => visibility.getReason(element) === undefined;
  const diagrams = createDiagrams(archive);
  const toTools = (name: string): Tools => ({
    visibility,
    numbering,
    // Only the main part has some.
    readChunk: ({ attributes }) => (name === main ? chunks?.takeLines(attributes["r:id"] ?? "") : undefined) ?? [],
    readDiagram: (element) => diagrams.read(name, element),
  });
  const judge = (part: XmlElement): void => {
    visibility.judge(part);
    numbering.count(part, isShown);
  };
  const illustrated: { name: string; part: XmlElement }[] = [];
  const addParts = (type: string): void => {
    const known = new Set<string>();
    for (const { target } of relations.filter((each) => each.type === type)) {
      const part = readTree(archive, target);
      // The same header is often there once for each section.
      if (part !== undefined) judge(part);
      const text = part === undefined ? "" : blockText(part, toTools(target));
      if (part !== undefined && !known.has(text)) addBlocks(part, flow, toTools(target));
      if (part !== undefined) illustrated.push({ name: target, part });
      known.add(text);
    }
  };
  addParts("header");
  judge(root);
  for (const body of root.children.filter(({ name }) => name === "body")) addBlocks(body, flow, toTools(main));
  illustrated.push({ name: main, part: root });
  addParts("footnotes");
  addParts("endnotes");
  addParts("footer");
  return {
    pages: flow.pages(),
    hidden: [...visibility.hidden(), ...diagrams.hidden, ...(chunks?.hidden ?? [])],
    pictures: () =>
      illustrated.flatMap(({ name, part }) => resolveReferences(archive, name, findReferences(part, isShown))),
  };
}

/** Reads the definitions of lists. Without them, or if they are damaged, paragraphs have no numbers. */
function readNumbering(archive: Archive, name: string): XmlElement | undefined {
  try {
    return readTree(archive, name);
  } catch {
    return undefined;
  }
}

/** The maximum number of diagrams that are read. Each takes as long as listing the files of the archive. */
const maxDiagrams = 1_000;

/** Creates what reads the diagrams of a document, each once. */
function createDiagrams(archive: Archive) {
  const hidden: ReadHiddenText[] = [];
  const known = new Map<XmlElement, readonly string[]>();
  return {
    hidden,
    read(part: string, element: XmlElement): readonly string[] {
      let paragraphs = known.get(element);
      if (paragraphs !== undefined || known.size >= maxDiagrams) return paragraphs ?? [];
      paragraphs = findDiagramTexts(archive, part, element).flatMap((text) => readShapeText(text, hidden));
      known.set(element, paragraphs);
      return paragraphs;
    },
  };
}

/** Returns the children of an element that are displayed: not what is hidden, nor the code of fields, nor the pronunciation of words, nor the separators of notes. */
function shownIn(parent: XmlElement, { visibility }: Tools): XmlElement[] {
  return parent.children.filter(
    (child) =>
      visibility.getReason(child) === undefined &&
      // Drawings are there twice, the second time for older programs.
      !["Fallback", "instrText", "delText", "rt"].includes(child.name) &&
      !visibility.isCode(child) &&
      !/separator/i.test(child.attributes["w:type"] ?? ""),
  );
}

function addBlocks(parent: XmlElement, flow: Flow, tools: Tools): void {
  for (const child of shownIn(parent, tools)) {
    if (child.name === "p") addParagraph(child, flow, tools);
    else if (child.name === "tbl") flow.table(toRows(child, tools));
    else if (child.name === "altChunk") for (const line of tools.readChunk(child)) flow.paragraph(line);
    else addBlocks(child, flow, tools);
  }
}

function addParagraph(paragraph: XmlElement, flow: Flow, tools: Tools): void {
  const pieces = toText(paragraph, tools).split("\f");
  pieces.forEach((text, index) => {
    if (index > 0) flow.breakPage();
    flow.paragraph(text);
  });
  // The text of shapes is beside the paragraph.
  for (const shape of findShapes(paragraph, tools)) {
    if (shape.name === "relIds") for (const line of tools.readDiagram(shape)) flow.paragraph(line);
    else addBlocks(shape, flow, tools);
  }
}

/** Finds the text boxes and the diagrams in a paragraph. */
function findShapes(element: XmlElement, tools: Tools): XmlElement[] {
  return shownIn(element, tools).flatMap((child) =>
    child.name === "txbxContent" || child.name === "relIds" ? [child] : findShapes(child, tools),
  );
}

/** Returns the rows of a table. A cell that continues the one above it is empty. */
function toRows(table: XmlElement, tools: Tools): { text: string; span: number }[][] {
  return findRows(table, tools).map((row) =>
    findCells(row, tools).map((cell) => {
      const properties = cell.children.find(({ name }) => name === "tcPr")?.children ?? [];
      const span = Number(properties.find(({ name }) => name === "gridSpan")?.attributes["w:val"] ?? 1);
      const merge = properties.find(({ name }) => name === "vMerge");
      const continued = merge !== undefined && merge.attributes["w:val"] !== "restart";
      return { text: continued ? "" : blockText(cell, tools), span: Number.isFinite(span) ? span : 1 };
    }),
  );
}

function findRows(element: XmlElement, tools: Tools): XmlElement[] {
  return shownIn(element, tools).flatMap((child) =>
    child.name === "tr" ? [child] : child.name === "tbl" ? [] : findRows(child, tools),
  );
}

function findCells(element: XmlElement, tools: Tools): XmlElement[] {
  return shownIn(element, tools).flatMap((child) => (child.name === "tc" ? [child] : findCells(child, tools)));
}

/** Returns the paragraphs of a cell or part as lines, each followed by the text of its shapes. */
function blockText(element: XmlElement, tools: Tools): string {
  return shownIn(element, tools)
    .flatMap((child) => {
      if (child.name === "altChunk") return [tools.readChunk(child).join("\n")];
      if (child.name !== "p") return [blockText(child, tools)];
      const shapes = findShapes(child, tools).map((shape) =>
        shape.name === "relIds" ? tools.readDiagram(shape).join("\n") : blockText(shape, tools),
      );
      return [toText(child, tools), ...shapes];
    })
    .filter((text) => text.trim() !== "")
    .join("\n");
}

/** Returns the text of a paragraph with its number or bullet. */
function toText(paragraph: XmlElement, tools: Tools): string {
  return mark(paragraphText(paragraph, tools), tools.numbering.getMarker(paragraph));
}

/** Returns the text of a paragraph, with line breaks and form feeds for page breaks. */
function paragraphText(element: XmlElement, tools: Tools): string {
  return shownIn(element, tools)
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
        case "sym":
          return readSymbol(child);
        case "ddList":
        case "checkBox":
          return readFormField(child);
        case "pPr":
        case "txbxContent":
          return "";
        default:
          return paragraphText(child, tools);
      }
    })
    .join("");
}
