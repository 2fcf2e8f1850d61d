import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toHidden } from "../hidden.ts";
import { isSameColor, parseColor, white } from "../html/colors.ts";
import type { ReadHiddenText } from "../reading.ts";
import type { XmlElement } from "../xml/tree.ts";
import { findBelow } from "./parts.ts";

/** The names of the styles of an Open Document whose text people cannot see, and why. */
export type HiddenStyles = ReadonlyMap<string, HiddenReason>;

/**
 * Finds the styles whose text is not displayed, has less than a point, or is white on white. The last is only known in documents that color no
 * background anywhere.
 */
export function findHidden(parts: readonly XmlElement[]): HiddenStyles {
  const styles = parts.flatMap((part) => findBelow(part, "style"));
  const grounds = styles.flatMap(({ children }) =>
    children.flatMap(({ attributes }) => [attributes["fo:background-color"], attributes["draw:fill-color"]]),
  );
  const colored = grounds.some((ground) => {
    const color = parseColor(ground ?? "");
    return color !== undefined && color.alpha > 0 && !isSameColor(color, white);
  });
  return new Map(
    styles.flatMap(({ attributes, children }) => {
      const reasons = children.flatMap((properties) => judge(properties.attributes, colored) ?? []);
      return reasons[0] === undefined ? [] : [[attributes["style:name"] ?? "", reasons[0]] as const];
    }),
  );
}

function judge(properties: Readonly<Record<string, string>>, colored: boolean): HiddenReason | undefined {
  if (properties["table:display"] === "false" || properties["text:display"] === "none")
    return HiddenReason.NOT_DISPLAYED;
  const size = /^([\d.]+)pt$/.exec(properties["fo:font-size"] ?? "")?.[1];
  if (size !== undefined && Number(size) < 1) return HiddenReason.TINY;
  const color = parseColor(properties["fo:color"] ?? "");
  return !colored && color !== undefined && isSameColor(color, white) ? HiddenReason.COLOR : undefined;
}

/** Whether an element is a section, or a paragraph, that is not displayed, perhaps by a condition whose result programs store. */
export function isHiddenBlock({ name, attributes, children }: XmlElement): boolean {
  if (name !== "p" && name !== "h") return attributes["text:display"] === "none" || isMarkedHidden(attributes);
  return children.some((child) => child.name === "hidden-paragraph" && isMarkedHidden(child.attributes));
}

function isMarkedHidden(attributes: Readonly<Record<string, string>>): boolean {
  return attributes["text:is-hidden"] === "true";
}

/** Whether an element is a cell that another one covers, because they are merged. Its text may have been kept. */
export function isCoveredCell({ name }: XmlElement): boolean {
  return name === "covered-table-cell";
}

/**
 * Returns the hidden text in an element: of these styles, of sections that are not displayed, of hidden rows and covered cells of tables, and tracked
 * deletions.
 */
export function collectHidden(element: XmlElement, styles: HiddenStyles): ReadHiddenText[] {
  return element.children.flatMap((child) => {
    const reason = getReason(child, styles);
    return reason === undefined ? collectHidden(child, styles) : toHidden(plainText(child), reason);
  });
}

/** Returns the names of the pictures that an element shows, in their order. */
export function findImages(element: XmlElement, styles: HiddenStyles): string[] {
  return element.children.flatMap((child) => {
    if (getReason(child, styles) !== undefined) return [];
    const name = child.name === "image" ? (child.attributes["xlink:href"] ?? "").replace(/^\.\//, "") : "";
    return [...(name === "" ? [] : [name]), ...findImages(child, styles)];
  });
}

function getReason(element: XmlElement, styles: HiddenStyles): HiddenReason | undefined {
  const { name, attributes } = element;
  if (name === "deletion") return HiddenReason.DELETED;
  if (isHiddenBlock(element) || isCoveredCell(element)) return HiddenReason.NOT_DISPLAYED;
  if (name === "table-row" && (attributes["table:visibility"] ?? "visible") !== "visible")
    return HiddenReason.NOT_DISPLAYED;
  return styles.get(attributes["text:style-name"] ?? "") ?? styles.get(attributes["table:style-name"] ?? "");
}

/** Returns all text in an element. */
export function plainText(element: XmlElement): string {
  const pieces = element.pieces ?? [element.text];
  const text = pieces.map(
    (piece, at) => piece + (element.children[at] === undefined ? "" : plainText(element.children[at])),
  );
  return text.join("") + (["p", "h", "table-cell"].includes(element.name) ? " " : "");
}
