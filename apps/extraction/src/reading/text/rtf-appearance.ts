import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { isSameColor, white } from "../html/colors.ts";
import type { CssColor } from "../html/colors.ts";

/** How the text of a group of an RTF document appears. */
export interface RtfAppearance {
  /** The number of its color; 0 for the usual one. */
  readonly color: number;
  /** The size of its letters in half points. */
  readonly size: number;
  /** Whether something shades its characters, its paragraph, or the shape that it is in. */
  readonly shadedCharacters: boolean;
  readonly shadedParagraph: boolean;
  readonly inShape: boolean;
  readonly inTable: boolean;
}

/** How text appears without other settings. */
export const initialAppearance: RtfAppearance = {
  color: 0,
  size: 24,
  shadedCharacters: false,
  shadedParagraph: false,
  inShape: false,
  inTable: false,
};

/** Follows the words of an RTF document that change how text appears. */
export interface RtfAppearances {
  /** Returns how text appears after a word; the same object if nothing changes. */
  follow(appearance: RtfAppearance, word: string, parameter: string | undefined): RtfAppearance;
  /** Why text is hidden: smaller than a point, or white where nothing shades its background; undefined if it is not. */
  getReason(appearance: RtfAppearance): HiddenReason | undefined;
}

/** Creates the appearances of the text of a document, whose source has the table of its colors. */
export function createAppearances(rtf: string): RtfAppearances {
  const colors = readColors(rtf);
  let shadedCells = false;
  let shadedPages = false;
  return {
    follow(appearance, word, parameter) {
      const number = Number(parameter ?? 0);
      switch (word) {
        case "plain":
          return { ...appearance, color: 0, size: 24, shadedCharacters: false };
        case "pard":
          return { ...appearance, shadedParagraph: false, inTable: false };
        case "cf":
          return appearance.color === number ? appearance : { ...appearance, color: number };
        case "fs":
          return appearance.size === number ? appearance : { ...appearance, size: number };
        case "highlight":
        case "cb":
        case "chcbpat":
        case "chshdng":
          return { ...appearance, shadedCharacters: number > 0 };
        case "cbpat":
        case "shading":
          return { ...appearance, shadedParagraph: true };
        case "intbl":
          return { ...appearance, inTable: true };
        case "shptxt":
          return { ...appearance, inShape: true };
        case "trowd":
          shadedCells = false;
          return appearance;
        case "clcbpat":
        case "clcbpatraw":
        case "clshdng":
          shadedCells = true;
          return appearance;
        case "background":
          shadedPages = true;
          return appearance;
        default:
          return appearance;
      }
    },
    getReason({ color: number, size, shadedCharacters, shadedParagraph, inShape, inTable }) {
      if (size < 2) return HiddenReason.TINY;
      const color = colors[number];
      if (color === undefined || shadedCharacters || shadedParagraph || inShape || shadedPages) return undefined;
      return !(inTable && shadedCells) && isSameColor(color, white) ? HiddenReason.COLOR : undefined;
    },
  };
}

/** Reads the table of colors; undefined are those that the reader chooses. */
function readColors(rtf: string): (CssColor | undefined)[] {
  const table = /\{\\colortbl([^{}]{0,100000})\}/.exec(rtf.slice(0, 1_000_000))?.[1] ?? "";
  return table.split(";").map((entry) => {
    const [red, green, blue] = ["red", "green", "blue"].map(
      (name) => new RegExp(`\\\\${name}(\\d{1,3})`).exec(entry)?.[1],
    );
    if (red === undefined && green === undefined && blue === undefined) return undefined;
    return { channels: [Number(red ?? 0), Number(green ?? 0), Number(blue ?? 0)], alpha: 1 };
  });
}
