import type { GridRow } from "../grid.ts";
import type { XmlElement } from "../xml/tree.ts";
import type { Archive } from "./archive.ts";
import { createFlow, type Flow } from "./flow.ts";
import { findBelow, findMainPart, readRelations, readTree } from "./parts.ts";

/** Reads the slides of a presentation (Office Open XML), each as a page. Hidden slides are left out. Throws for damaged documents. */
export function* readPptx(archive: Archive): Generator<GridRow[]> {
  const main = findMainPart(archive, "ppt/presentation.xml");
  const root = readTree(archive, main);
  if (root === undefined) throw new Error("there is no main part");
  const targets = new Map(readRelations(archive, main).map(({ id, target }) => [id, target]));
  for (const { attributes } of findBelow(root, "sldId")) {
    const slide = readTree(archive, targets.get(attributes["r:id"] ?? "") ?? "");
    if (slide === undefined || /^(0|false)$/.test(slide.attributes["show"] ?? "")) continue;
    const flow = createFlow();
    addShapes(slide, flow);
    yield flow.pages().flat();
  }
}

function addShapes(parent: XmlElement, flow: Flow): void {
  for (const child of parent.children) {
    if (child.name === "Fallback" || isHidden(child)) continue;
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
    else addShapes(child, flow);
  }
}

function isHidden(shape: XmlElement): boolean {
  return shape.children.some(
    ({ name, children }) =>
      /^nv\w*Pr$/.test(name) &&
      children.some((each) => each.name === "cNvPr" && /^(1|true)$/.test(each.attributes["hidden"] ?? "")),
  );
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
