import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toHidden } from "../../hidden.ts";
import type { ReadHiddenText } from "../../reading.ts";
import type { XmlElement } from "../../xml/tree.ts";
import { findBelow } from "../parts.ts";
import { isHiddenDrawing } from "../pictures.ts";
import { isSameColor, parseColor, white } from "../../html/colors.ts";
import type { CssColor } from "../../html/colors.ts";
import { defaultStyle, getValue, isOn, type FindStyles } from "./styles.ts";

/** Tells which elements of a text document people can see, and collects the text of the others. */
export interface DocxVisibility {
  /** Judges the elements of a part. To be called before they are read. */
  judge(root: XmlElement): void;
  /** Why an element is hidden; undefined if it is not. */
  getReason(element: XmlElement): HiddenReason | undefined;
  /** Whether an element is a text in the code of a field, for example what another field in it results in. */
  isCode(element: XmlElement): boolean;
  /** Returns the text of what is hidden, in the order of the parts. */
  hidden(): readonly ReadHiddenText[];
}

/** What the text in an element is displayed on, and with the style of which paragraph; the background is undefined if it is not known. */
interface Surroundings {
  readonly ground: CssColor | undefined;
  readonly style: string;
}

/**
 * Creates the visibility of a document with these styles. What is hidden: tracked deletions, rows, runs and drawings that are marked as hidden,
 * runs of less than a point, and runs in the color of their background, if that is known: shading, but neither pictures nor the shapes around text.
 */
export function createDocxVisibility(chain: FindStyles): DocxVisibility {
  const reasons = new Map<XmlElement, HiddenReason>();
  const hidden: ReadHiddenText[] = [];
  const codes = new Set<XmlElement>();

  function hide(element: XmlElement, reason: HiddenReason): void {
    reasons.set(element, reason);
    const [found] = toHidden(getText(element), reason);
    const last = hidden.at(-1);
    // Programs split texts into many runs.
    if (found !== undefined && last?.reason === reason && element.name === "r") {
      hidden[hidden.length - 1] = { ...last, text: `${last.text} ${found.text}` };
    } else if (found !== undefined) hidden.push(found);
  }

  function judgeRun(run: XmlElement, { ground, style }: Surroundings): HiddenReason | undefined {
    const own = run.children.find(({ name }) => name === "rPr");
    const styled = [...chain(own === undefined ? "" : getValue(own, "rStyle")), ...chain(style)].flatMap(
      ({ children }) => children.filter(({ name }) => name === "rPr"),
    );
    const properties = [...(own === undefined ? [] : [own]), ...styled];
    const find = (wanted: string): XmlElement | undefined =>
      properties.flatMap(({ children }) => children.find(({ name }) => name === wanted) ?? [])[0];
    if (isOn(find("vanish"))) return HiddenReason.NOT_DISPLAYED;
    const size = Number(find("sz")?.attributes["w:val"] ?? 24) / 2;
    if (size < 1) return HiddenReason.TINY;
    const color = parseColor(find("color")?.attributes["w:val"] ?? "");
    if (find("highlight") !== undefined) return undefined;
    const shading = find("shd");
    const actual = shading === undefined ? ground : getShading(shading, ground);
    return color !== undefined && actual !== undefined && isSameColor(color, actual) ? HiddenReason.COLOR : undefined;
  }

  function judgeElements(parent: XmlElement, surroundings: Surroundings): void {
    // Drawings are there twice, the second time for older programs.
    for (const element of parent.children.filter(({ name }) => name !== "Fallback")) {
      const reason = judgeElement(element, surroundings);
      if (reason !== undefined) hide(element, reason);
      else judgeElements(element, surround(element, surroundings, chain));
    }
  }

  function judgeElement(element: XmlElement, surroundings: Surroundings): HiddenReason | undefined {
    switch (element.name) {
      case "del":
      case "moveFrom":
        return HiddenReason.DELETED;
      case "tr": {
        const properties = element.children.find(({ name }) => name === "trPr")?.children ?? [];
        if (properties.some(({ name }) => name === "del")) return HiddenReason.DELETED;
        return properties.some(({ name }) => name === "hidden") ? HiddenReason.NOT_DISPLAYED : undefined;
      }
      case "r":
        return judgeRun(element, surroundings);
      case "inline":
      case "anchor":
      case "wsp":
        return isHiddenDrawing(element) ? HiddenReason.NOT_DISPLAYED : undefined;
      case "shape":
      case "rect":
      case "roundrect":
        return /(^|;)\s*visibility\s*:\s*hidden/i.test(element.attributes["style"] ?? "")
          ? HiddenReason.NOT_DISPLAYED
          : undefined;
      default:
        return undefined;
    }
  }

  return {
    judge(root) {
      const background = root.children.find(({ name }) => name === "background")?.attributes["w:color"];
      judgeElements(root, { ground: background === undefined ? white : parseColor(background), style: defaultStyle });
      for (const text of findCodes(root)) codes.add(text);
    },
    getReason: (element) => reasons.get(element),
    isCode: (element) => codes.has(element),
    hidden: () => hidden,
  };
}

/** Finds the texts between the beginning of a field and its result. A field that never ends is damaged, and has no code. */
function findCodes(root: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  /** The fields that have begun, and the outermost of them whose result has not. */
  const open: XmlElement[][] = [];
  let outermost: XmlElement[] | undefined;
  const visit = ({ children }: XmlElement): void => {
    for (const child of children) {
      const mark = child.name === "fldChar" ? child.attributes["w:fldCharType"] : undefined;
      if (child.name === "t") outermost?.push(child);
      else if (mark === undefined) visit(child);
      else if (mark === "begin") {
        open.push([]);
        outermost ??= open.at(-1);
      } else {
        const texts = mark === "end" ? open.pop() : open.at(-1);
        if (texts === undefined || texts !== outermost) continue;
        for (const text of texts) found.push(text);
        outermost = undefined;
      }
    }
  };
  visit(root);
  return found;
}

/** Returns what the text in an element is displayed on. */
function surround(element: XmlElement, outer: Surroundings, chain: FindStyles): Surroundings {
  const properties = element.children.find(({ name }) => name === `${element.name}Pr`);
  const shading = properties?.children.find(({ name }) => name === "shd");
  switch (element.name) {
    case "tbl": {
      const style = properties === undefined ? [] : chain(getValue(properties, "tblStyle"));
      const shaded = style.some((each) => findBelow(each, "shd").length > 0);
      return {
        ...outer,
        ground: shaded ? undefined : shading === undefined ? outer.ground : getShading(shading, outer.ground),
      };
    }
    case "tc":
      return shading === undefined ? outer : { ...outer, ground: getShading(shading, outer.ground) };
    case "p": {
      const style = (properties === undefined ? "" : getValue(properties, "pStyle")) || defaultStyle;
      const shaded = chain(style).some((each) =>
        each.children.some(({ name, children }) => name === "pPr" && children.some((child) => child.name === "shd")),
      );
      const ground = shading === undefined ? (shaded ? undefined : outer.ground) : getShading(shading, outer.ground);
      return { ground, style };
    }
    case "txbxContent":
      return { ...outer, ground: undefined };
    default:
      return outer;
  }
}

function getShading({ attributes }: XmlElement, outer: CssColor | undefined): CssColor | undefined {
  const fill = attributes["w:fill"] ?? "auto";
  if (!/^(clear|nil)?$/.test(attributes["w:val"] ?? "")) return undefined;
  return fill === "auto" ? outer : parseColor(fill);
}

function getText(element: XmlElement): string {
  if (element.name === "t" || element.name === "delText") return element.text;
  const separator = ["p", "tc", "tr"].includes(element.name) ? " " : "";
  return element.children.map(getText).join("") + separator;
}
