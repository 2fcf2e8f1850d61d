import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { GridRow } from "../../grid.ts";
import { toHidden } from "../../hidden.ts";
import type { ReadHiddenText } from "../../reading.ts";
import type { XmlElement } from "../../xml/tree.ts";
import type { Archive } from "../archive.ts";
import { createFlow, type Flow } from "../flow.ts";
import { findReferences, resolveReferences } from "../pictures.ts";
import { findBelow, findMainPart, readRelations, readTree } from "../parts.ts";
import { createModelFinder } from "./models.ts";
import { createSlideVisibility } from "./visibility.ts";

/** A slide: its rows, unless it is hidden, and its hidden text. */
export interface Slide {
  readonly rows: readonly GridRow[] | undefined;
  readonly hidden: readonly ReadHiddenText[];
  /** Returns the names of the pictures that it shows, in their order. */
  readonly pictures: () => readonly string[];
}

/** Reads the slides of a presentation (Office Open XML), each as a page. Throws for damaged documents. */
export function* readPptx(archive: Archive): Generator<Slide> {
  const main = findMainPart(archive, "ppt/presentation.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const targets = new Map(readRelations(archive, main).map(({ id, target }) => [id, target]));
  const size = findBelow(root, "sldSz")[0]?.attributes ?? {};
  const findModels = createModelFinder(archive);
  for (const { attributes } of findBelow(root, "sldId")) {
    const name = targets.get(attributes["r:id"] ?? "") ?? "";
    const slide = readTree(archive, name);
    if (slide === undefined) continue;
    if (/^(0|false)$/.test(slide.attributes["show"] ?? "")) {
      const text = paragraphs(slide).join(" ");
      yield { rows: undefined, hidden: toHidden(text, HiddenReason.NOT_DISPLAYED), pictures: () => [] };
      continue;
    }
    const { getReason } = createSlideVisibility(slide, findModels(name), size);
    const flow = createFlow();
    const hidden: ReadHiddenText[] = [];
    addShapes(slide, flow, (element) => {
      const reason = getReason(element);
      if (reason !== undefined) addHidden(hidden, element, reason);
      return reason === undefined;
    });
    const pictures = (): string[] =>
      resolveReferences(
        archive,
        name,
        findReferences(slide, (shape) => getReason(shape) === undefined),
      );
    yield { rows: flow.pages().flat(), hidden, pictures };
  }
}

function addHidden(hidden: ReadHiddenText[], element: XmlElement, reason: HiddenReason): void {
  const isRun = element.name === "r" || element.name === "fld";
  const [found] = toHidden(isRun ? runText(element) : paragraphs(element).join(" "), reason);
  const last = hidden.at(-1);
  // Programs split texts into many runs.
  if (found !== undefined && isRun && last?.reason === reason) {
    hidden[hidden.length - 1] = { ...last, text: `${last.text} ${found.text}` };
  } else if (found !== undefined) hidden.push(found);
}

/** Whether people can see an element: a shape, or a run of text. Called once for each, in their order. */
type IsShown = (element: XmlElement) => boolean;

function addShapes(parent: XmlElement, flow: Flow, isShown: IsShown): void {
  for (const child of parent.children) {
    if (child.name === "Fallback" || !isShown(child)) continue;
    if (child.name === "tbl") {
      flow.table(
        findBelow(child, "tr").map((row) =>
          row.children
            .filter(({ name }) => name === "tc")
            // A cell that spans several columns is followed by empty ones, which it covers.
            .map((cell) => ({ text: paragraphs(cell, isShown).join("\n"), span: 1 })),
        ),
      );
    } else if (child.name === "txBody") paragraphs(child, isShown).forEach((text) => flow.paragraph(text));
    else addShapes(child, flow, isShown);
  }
}

function paragraphs(element: XmlElement, isShown?: IsShown): string[] {
  return findBelow(element, "p").map((paragraph) => runText(paragraph, isShown));
}

function runText(element: XmlElement, isShown: IsShown = () => true): string {
  return element.children
    .map((child) => {
      if (child.name === "t") return child.text;
      if (child.name === "br") return "\n";
      if (child.name === "tab") return "\t";
      return isShown(child) ? runText(child, isShown) : "";
    })
    .join("");
}
