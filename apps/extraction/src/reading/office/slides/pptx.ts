import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { GridRow } from "../../grid.ts";
import { toHidden } from "../../hidden.ts";
import type { ReadHiddenText } from "../../reading.ts";
import type { XmlElement } from "../../xml/tree.ts";
import type { Archive } from "../archive.ts";
import { createFlow, type Flow } from "../flow.ts";
import { findReferences, resolveReferences } from "../pictures.ts";
import { findBelow, findMainPart, readRelations, readTree } from "../parts.ts";
import { findDiagramTexts } from "../diagrams.ts";
import { addHidden, listParagraphs, type IsShown } from "../drawing-text.ts";
import { createModelFinder } from "./models.ts";
import { createSlideVisibility } from "./visibility.ts";

/** A slide: its rows, unless it is hidden, and its hidden text. */
export interface Slide {
  readonly rows: readonly GridRow[] | undefined;
  readonly hidden: readonly ReadHiddenText[];
  /** Returns the names of the pictures that it shows, in their order. */
  readonly pictures: () => readonly string[];
}

/** Reads the slides of a presentation (Office Open XML), each as a page with the text of its diagrams. Throws for damaged documents. */
export function* readPptx(archive: Archive): Generator<Slide> {
  const main = findMainPart(archive, "ppt/presentation.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const targets = new Map(readRelations(archive, main).map(({ id, target }) => [id, target]));
  const size = findBelow(root, "sldSz")[0]?.attributes ?? {};
  const findModels = createModelFinder(archive);
  let diagrams = 0;
  for (const { attributes } of findBelow(root, "sldId")) {
    const name = targets.get(attributes["r:id"] ?? "") ?? "";
    const slide = readTree(archive, name);
    if (slide === undefined) continue;
    if (/^(0|false)$/.test(slide.attributes["show"] ?? "")) {
      const text = listParagraphs(slide).join(" ");
      yield { rows: undefined, hidden: toHidden(text, HiddenReason.NOT_DISPLAYED), pictures: () => [] };
      continue;
    }
    const { getReason } = createSlideVisibility(slide, findModels(name), size);
    const flow = createFlow();
    const hidden: ReadHiddenText[] = [];
    const isShown: IsShown = (element) => {
      const reason = getReason(element);
      if (reason !== undefined) addHidden(hidden, element, reason);
      return reason === undefined;
    };
    const findTexts = (diagram: XmlElement): readonly XmlElement[] =>
      diagrams++ < maxDiagrams ? findDiagramTexts(archive, name, diagram) : [];
    addShapes(slide, flow, { isShown, findTexts });
    const pictures = (): string[] =>
      resolveReferences(
        archive,
        name,
        findReferences(slide, (shape) => getReason(shape) === undefined),
      );
    yield { rows: flow.pages().flat(), hidden, pictures };
  }
}

/** The maximum number of diagrams that are read. Each takes as long as listing the files of the archive. */
const maxDiagrams = 1_000;

/** What shapes are read with: which of them people can see, and the texts of a diagram. */
interface ShapeTools {
  readonly isShown: IsShown;
  readonly findTexts: (diagram: XmlElement) => readonly XmlElement[];
}

function addShapes(parent: XmlElement, flow: Flow, tools: ShapeTools): void {
  const { isShown, findTexts } = tools;
  for (const child of parent.children) {
    if (child.name === "Fallback" || !isShown(child)) continue;
    if (child.name === "tbl") {
      flow.table(
        findBelow(child, "tr").map((row) =>
          row.children
            .filter(({ name }) => name === "tc")
            // A cell that spans several columns is followed by empty ones, which it covers.
            .map((cell) => ({ text: listParagraphs(cell, isShown).join("\n"), span: 1 })),
        ),
      );
    } else if (child.name === "txBody") listParagraphs(child, isShown).forEach((text) => flow.paragraph(text));
    else if (child.name === "relIds") {
      for (const text of findTexts(child).flatMap((each) => listParagraphs(each, isShown))) flow.paragraph(text);
    } else addShapes(child, flow, tools);
  }
}
