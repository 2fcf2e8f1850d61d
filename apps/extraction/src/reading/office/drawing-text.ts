import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toHidden } from "../hidden.ts";
import { isSameColor } from "../html/colors.ts";
import type { ReadHiddenText } from "../reading.ts";
import type { XmlElement } from "../xml/tree.ts";
import { findBelow } from "./parts.ts";
import { createFills, type Fill } from "./slides/colors.ts";

/** Whether people can see an element: a shape, or a run of text. Called once for each, in their order. */
export type IsShown = (element: XmlElement) => boolean;

/** Returns the paragraphs in an element of DrawingML, without what is not shown. */
export function listParagraphs(element: XmlElement, isShown?: IsShown): string[] {
  return findBelow(element, "p").map((paragraph) => runText(paragraph, isShown));
}

/**
 * Returns the paragraphs of a shape that is not on a slide, and adds its runs that people cannot see to `hidden`: those smaller than a point, in no color, or
 * in the color of the shape, if that is known.
 */
export function readShapeText(shape: XmlElement, hidden: ReadHiddenText[], ground?: Fill): string[] {
  return listParagraphs(shape, (element) => {
    const reason = isRun(element) ? judgeRun(element, ground) : undefined;
    if (reason !== undefined) addHidden(hidden, element, reason);
    return reason === undefined;
  });
}

/** Adds the text of a shape, or of a run in one, to the hidden texts. */
export function addHidden(hidden: ReadHiddenText[], element: XmlElement, reason: HiddenReason): void {
  const [found] = toHidden(isRun(element) ? runText(element) : listParagraphs(element).join(" "), reason);
  const last = hidden.at(-1);
  // Programs split texts into many runs.
  if (found !== undefined && isRun(element) && last?.reason === reason) {
    hidden[hidden.length - 1] = { ...last, text: `${last.text} ${found.text}` };
  } else if (found !== undefined) hidden.push(found);
}

function isRun({ name }: XmlElement): boolean {
  return name === "r" || name === "fld";
}

/** The fills of shapes that are not on a slide. The colors of their themes are not known. */
export const shapeFills = createFills(undefined, {});

function judgeRun(run: XmlElement, ground: Fill): HiddenReason | undefined {
  const properties = run.children.find(({ name }) => name === "rPr");
  const size = properties?.attributes["sz"];
  if (size !== undefined && Number(size) < 100) return HiddenReason.TINY;
  const color = shapeFills.get(properties);
  // An outline or a marker shows the letters in another way.
  const isEmphasized = properties?.children.some(({ name }) => /^(ln|highlight|effectLst|effectDag)$/.test(name));
  if (color === undefined || color === "unknown" || isEmphasized === true) return undefined;
  if (color === "none" || color.alpha < 0.05) return HiddenReason.INVISIBLE;
  return typeof ground === "object" && isSameColor(color, ground) ? HiddenReason.COLOR : undefined;
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
