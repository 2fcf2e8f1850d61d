import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toHidden } from "../../hidden.ts";
import { isSameColor, parseColor, white } from "../../html/colors.ts";
import type { ReadHiddenText } from "../../reading.ts";
import type { XmlElement } from "../../xml/tree.ts";
import { findBelow } from "../parts.ts";

/**
 * Reads why the cells of a workbook with each of its styles are hidden; undefined for those that are not. A format of three empty sections displays
 * nothing; the letters of others have the color of their background, or less than a point.
 */
export function readCellReasons(styles: XmlElement | undefined): (HiddenReason | undefined)[] {
  if (styles === undefined) return [];
  const find = (name: string): readonly XmlElement[] =>
    styles.children.find((child) => child.name === name)?.children ?? [];
  const empty = new Set(
    findBelow(styles, "numFmt")
      .filter(({ attributes }) => /^;;;\s*$/.test(attributes["formatCode"] ?? ""))
      .map(({ attributes }) => attributes["numFmtId"]),
  );
  const [fonts, fills] = [find("fonts"), find("fills")];
  return find("cellXfs").map(({ attributes }) => {
    if (empty.has(attributes["numFmtId"] ?? "")) return HiddenReason.NOT_DISPLAYED;
    const font = fonts[Number(attributes["fontId"] ?? 0)];
    const size = Number(font?.children.find(({ name }) => name === "sz")?.attributes["val"] ?? 11);
    if (size < 1) return HiddenReason.TINY;
    const color = getColor(font?.children.find(({ name }) => name === "color"));
    const ground = getGround(fills[Number(attributes["fillId"] ?? 0)]);
    return color !== undefined && ground !== undefined && isSameColor(color, ground) ? HiddenReason.COLOR : undefined;
  });
}

/** The hidden cells of a sheet. */
export interface HiddenCells {
  /** Returns the reason of a style, unless something else may give the cell another background. */
  judge(reason: HiddenReason | undefined): HiddenReason | undefined;
  add(row: number, text: string, reason: HiddenReason): void;
  /** Returns the text of the hidden cells, by rows. */
  texts(): readonly ReadHiddenText[];
}

/** Creates the hidden cells of a sheet with this source. */
export function createHiddenCells(source: string): HiddenCells {
  // Their styles are not known.
  const shaded = /<(\w+:)?(conditionalFormatting|tablePart|picture)\b/.test(source);
  const found: { row: number; text: string; reason: HiddenReason }[] = [];
  return {
    judge: (reason) => (shaded && reason === HiddenReason.COLOR ? undefined : reason),
    add(row, text, reason) {
      const last = found.at(-1);
      if (last?.row === row && last.reason === reason) last.text = `${last.text} ${text}`.slice(0, most.characters);
      else if (found.length < most.rows) found.push({ row, text: text.slice(0, most.characters), reason });
    },
    texts: () => found.flatMap(({ text, reason }) => toHidden(text, reason)),
  };
}

/** What is kept of the hidden cells of a sheet: rows, and characters of a row. */
const most = { rows: 1_000, characters: 10_000 };

function getColor(color: XmlElement | undefined) {
  const { rgb, theme, tint } = color?.attributes ?? {};
  if (rgb !== undefined) return parseColor(rgb.slice(-6));
  // The first color of a theme is that of the background, which is white in all but a few.
  return theme === "0" && (tint === undefined || Number(tint) === 0) ? white : undefined;
}

/** Returns the color of a fill: white without one, and undefined if it is not known. */
function getGround(fill: XmlElement | undefined) {
  const pattern = fill?.children.find(({ name }) => name === "patternFill");
  if (fill === undefined || (pattern !== undefined && (pattern.attributes["patternType"] ?? "none") === "none"))
    return white;
  if (pattern?.attributes["patternType"] !== "solid") return undefined;
  return getColor(pattern.children.find(({ name }) => name === "fgColor"));
}
