import { parseColor } from "../../html/colors.ts";
import type { CssColor } from "../../html/colors.ts";
import type { XmlElement } from "../../xml/tree.ts";
import { findBelow } from "../parts.ts";

/** What fills an area: a color, nothing, or something whose color is not known, such as a picture; undefined if it is not said. */
export type Fill = CssColor | "none" | "unknown" | undefined;

/** Reads the fills that elements of DrawingML state. */
export interface Fills {
  /** Returns the fill that is stated by a child of an element. */
  get(element: XmlElement | undefined): Fill;
  /** Returns a color of a scheme or of its own; undefined if it is not known. */
  getColor(choice: XmlElement | undefined): CssColor | undefined;
}

/** Creates the fills of slides with this theme, and the map from the names of colors to those of the theme (`clrMap`). */
export function createFills(theme: XmlElement | undefined, names: Readonly<Record<string, string>>): Fills {
  const scheme = theme && findBelow(theme, "clrScheme")[0];
  const known = new Map(
    (scheme?.children ?? []).map(({ name, children }) => {
      const { val = "", lastClr } = children[0]?.attributes ?? {};
      return [name, parseColor(lastClr ?? val)] as const;
    }),
  );

  function getColor(choice: XmlElement | undefined): CssColor | undefined {
    if (choice === undefined) return undefined;
    const { val = "", lastClr = "" } = choice.attributes;
    const source: Readonly<Record<string, () => CssColor | undefined>> = {
      srgbClr: () => parseColor(val),
      sysClr: () => parseColor(lastClr),
      prstClr: () => parseColor(val),
      schemeClr: () => known.get(names[val] ?? val),
    };
    const color = source[choice.name]?.();
    if (color === undefined) return undefined;
    const alpha = choice.children.find(({ name }) => name === "alpha");
    // Brightness and others change the color in ways that are not followed.
    if (choice.children.length > (alpha === undefined ? 0 : 1)) return undefined;
    return alpha === undefined ? color : { ...color, alpha: toShare(alpha.attributes["val"]) };
  }

  return {
    getColor,
    get(element) {
      for (const child of element?.children ?? []) {
        if (child.name === "noFill") return "none";
        if (child.name === "solidFill") return getColor(child.children[0]) ?? "unknown";
        if (/^(grad|blip|patt|grp)Fill$/.test(child.name)) return "unknown";
      }
      return undefined;
    },
  };
}

/** Converts thousandths of a percent, or percent, to a share from 0 to 1. */
function toShare(value = ""): number {
  const share = value.endsWith("%") ? parseFloat(value) / 100 : Number(value) / 100_000;
  return Number.isFinite(share) ? share : 1;
}
