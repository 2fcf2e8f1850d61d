import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { GridRow } from "../grid.ts";
import { toHidden } from "../hidden.ts";
import type { ReadHiddenText } from "../reading.ts";
import type { XmlElement } from "../xml/tree.ts";
import type { Archive } from "./archive.ts";
import { createFlow, type Flow } from "./flow.ts";
import { findReferences, resolveReferences } from "./pictures.ts";
import { findBelow, findMainPart, readRelations, readTree } from "./parts.ts";

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
  for (const { attributes } of findBelow(root, "sldId")) {
    const name = targets.get(attributes["r:id"] ?? "") ?? "";
    const slide = readTree(archive, name);
    if (slide === undefined) continue;
    if (/^(0|false)$/.test(slide.attributes["show"] ?? "")) {
      const text = paragraphs(slide).join(" ");
      yield { rows: undefined, hidden: toHidden(text, HiddenReason.NOT_DISPLAYED), pictures: () => [] };
      continue;
    }
    const getReason = (shape: XmlElement): HiddenReason | undefined => {
      if (isHidden(shape)) return HiddenReason.NOT_DISPLAYED;
      return isOutside(shape, size) ? HiddenReason.OUTSIDE : undefined;
    };
    const flow = createFlow();
    const hidden: ReadHiddenText[] = [];
    addShapes(slide, flow, (shape) => {
      const reason = getReason(shape);
      if (reason !== undefined) hidden.push(...toHidden(paragraphs(shape).join(" "), reason));
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

function addShapes(parent: XmlElement, flow: Flow, isShown: (shape: XmlElement) => boolean): void {
  for (const child of parent.children) {
    if (child.name === "Fallback" || !isShown(child)) continue;
    if (child.name === "tbl") {
      flow.table(
        findBelow(child, "tr").map((row) =>
          row.children
            .filter(({ name }) => name === "tc")
            // A cell that spans several columns is followed by empty ones, which it covers.
            .map((cell) => ({ text: paragraphs(cell).join("\n"), span: 1 })),
        ),
      );
    } else if (child.name === "txBody") paragraphs(child).forEach((text) => flow.paragraph(text));
    else addShapes(child, flow, isShown);
  }
}

function isHidden(shape: XmlElement): boolean {
  return shape.children.some(
    ({ name, children }) =>
      /^nv\w*Pr$/.test(name) &&
      children.some((each) => each.name === "cNvPr" && /^(1|true)$/.test(each.attributes["hidden"] ?? "")),
  );
}

/** Whether a shape that is not part of a group lies outside of its slide, whose size is given. */
function isOutside(shape: XmlElement, size: Readonly<Record<string, string>>): boolean {
  if (shape.parent?.name !== "spTree") return false;
  const frame = shape.children.find(({ name }) => name === "spPr") ?? shape;
  const placed = frame.children.find(({ name }) => name === "xfrm")?.children ?? [];
  const [offset, extent] = ["off", "ext"].map((wanted) => placed.find(({ name }) => name === wanted)?.attributes);
  const [width, height] = [Number(size["cx"]), Number(size["cy"])];
  if (offset === undefined || extent === undefined || !(width > 0 && height > 0)) return false;
  const [x, y] = [Number(offset["x"]), Number(offset["y"])];
  return x >= width || y >= height || x + Number(extent["cx"]) <= 0 || y + Number(extent["cy"]) <= 0;
}

function paragraphs(element: XmlElement): string[] {
  return findBelow(element, "p").map((paragraph) => runText(paragraph));
}

function runText(element: XmlElement): string {
  return element.children
    .map((child) =>
      child.name === "t" ? child.text : child.name === "br" ? "\n" : child.name === "tab" ? "\t" : runText(child),
    )
    .join("");
}
