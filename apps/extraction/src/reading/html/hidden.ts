import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { Parser } from "htmlparser2";
import { toHidden } from "../hidden.ts";
import type { ReadHiddenText } from "../reading.ts";
import { black, isSameColor, parseColor, white } from "./colors.ts";
import type { CssColor } from "./colors.ts";
import { addDeclarations, parseDeclarations, readStyleSheet } from "./style-sheet.ts";
import type { Declarations, StyledElement } from "./style-sheet.ts";

/** How the text of an element appears. */
interface Appearance {
  /** Why its text and that of all elements in it is hidden. */
  readonly reason: HiddenReason | undefined;
  readonly invisible: boolean;
  /** Undefined if it is not known. */
  readonly color: CssColor | undefined;
  readonly ground: CssColor | undefined;
  /** The size of its letters in points; undefined if it is not known. */
  readonly size: number | undefined;
}

/** How an element appears that has no style. */
const initial: Appearance = { reason: undefined, invisible: false, color: black, ground: white, size: 12 };
/** Elements whose text is not displayed in any case. */
const unread: ReadonlySet<string> = new Set(["script", "style", "title", "noscript", "head"]);
/** Elements that browsers do not display unless a style says so. A dialog is displayed if it is open. */
const undisplayed: ReadonlySet<string> = new Set(["datalist", "iframe", "noembed", "noframes", "template"]);
/** Text that is further outside of the page than this, in points, is not seen. */
const farOutside = -300;
/** A picture with a shorter side, in points, shows no text that people can read. */
const legiblePoints = 12;

/** HTML without its hidden text, the hidden text, and the addresses of the pictures that it shows, in their order. */
export interface SeparatedHtml {
  readonly html: string;
  readonly hidden: ReadHiddenText[];
  readonly pictures: readonly string[];
}

/**
 * Separates HTML from the text in it that is not displayed: by `display`, `visibility` and `opacity`, without a size, outside of the page, or in the
 * color of its background. The elements remain, so that the structure stays the same.
 */
export function separateHiddenHtml(html: string): SeparatedHtml {
  const sheet = readStyleSheet(html);
  const path: (StyledElement & { readonly appearance: Appearance })[] = [];
  const hidden: { text: string; reason: HiddenReason }[] = [];
  const pictures: string[] = [];
  let continues = false;
  let kept = "";
  let copied = 0;
  let silent = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element = {
          name,
          id: attributes["id"] ?? "",
          classes: new Set((attributes["class"] ?? "").split(/\s+/)),
        };
        const declarations = new Map([...readAttributes(name, attributes)]);
        for (const matched of [...sheet.match([...path, element]), parseDeclarations(attributes["style"] ?? "")])
          addDeclarations(declarations, matched);
        const appearance = inherit(path.at(-1)?.appearance ?? initial, declarations);
        path.push({ ...element, appearance });
        const source = name === "img" ? attributes["src"] : undefined;
        const isShown = silent === 0 && appearance.reason === undefined && !appearance.invisible;
        if (source !== undefined && isShown && !isTiny(attributes, declarations)) pictures.push(source);
        if (unread.has(name)) silent += 1;
      },
      onclosetag(name) {
        path.pop();
        if (unread.has(name)) silent -= 1;
      },
      ontext(text) {
        const reason = silent > 0 ? undefined : getReason(path.at(-1)?.appearance ?? initial);
        if (reason === undefined) {
          if (text.trim() !== "") continues = false;
          return;
        }
        const last = hidden.at(-1);
        if (continues && last?.reason === reason) last.text += ` ${text}`;
        else hidden.push({ text, reason });
        continues = true;
        kept += html.slice(copied, parser.startIndex);
        copied = parser.endIndex + 1;
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return {
    html: kept + html.slice(copied),
    hidden: hidden.flatMap(({ text, reason }) => toHidden(text, reason)),
    pictures,
  };
}

/** Whether a picture is displayed so small that nobody can read it. */
function isTiny(attributes: Readonly<Record<string, string>>, declarations: Declarations): boolean {
  return ["width", "height"].some((side) => {
    const points = toPoints(declarations.get(side) ?? attributes[side] ?? "", 12);
    return points !== undefined && points < legiblePoints;
  });
}

function getReason({ reason, invisible, color, ground, size }: Appearance): HiddenReason | undefined {
  if (reason !== undefined) return reason;
  if (invisible) return HiddenReason.NOT_DISPLAYED;
  if (size !== undefined && size < 1) return HiddenReason.TINY;
  if (color === undefined) return undefined;
  if (color.alpha === 0) return HiddenReason.INVISIBLE;
  return ground !== undefined && isSameColor(color, ground) ? HiddenReason.COLOR : undefined;
}

/** Converts the name of an element, and the attributes that are older than styles, to declarations. */
function readAttributes(name: string, attributes: Readonly<Record<string, string>>): [string, string][] {
  const { hidden, bgcolor, background, color, text, open } = attributes;
  const isClosed = undisplayed.has(name) || (name === "dialog" && open === undefined);
  const isHidden = hidden !== undefined && hidden !== "until-found";
  return [
    ...(isClosed || isHidden ? ([["display", "none"]] as [string, string][]) : []),
    ...(bgcolor ? ([["background-color", bgcolor]] as [string, string][]) : []),
    ...(background ? ([["background", "url()"]] as [string, string][]) : []),
    ...(name === "font" && color ? ([["color", color]] as [string, string][]) : []),
    ...(name === "body" && text ? ([["color", text]] as [string, string][]) : []),
    ...(name === "a" ? ([["color", "#0000ee"]] as [string, string][]) : []),
  ];
}

function inherit(outer: Appearance, declarations: Declarations): Appearance {
  if (declarations.size === 0) return outer;
  const get = (property: string): string => (declarations.get(property) ?? "").replace("!important", "").trimEnd();
  const visibility = get("visibility");
  return {
    reason: outer.reason ?? findReason(get),
    invisible: visibility === "" ? outer.invisible : visibility === "hidden" || visibility === "collapse",
    color: getColor(get("color"), outer.color),
    ground: getGround(get, outer.ground),
    size: getSize(get("font-size") || (fontSize.exec(get("font"))?.[1] ?? ""), outer.size),
  };
}

/** The size in the shorthand `font`, where a number without a unit is a weight, except for 0. */
const fontSize = /(?:^|\s)((?:\d+\.|\.)?\d+(?:px|pt|em|rem|in|cm|mm|%)|0(?:\.0+)?)(?=[\s/])/;

/** Returns why an element hides everything that is in it. */
function findReason(get: (property: string) => string): HiddenReason | undefined {
  if (get("display") === "none" || get("content-visibility") === "hidden") return HiddenReason.NOT_DISPLAYED;
  const opacity = get("opacity");
  if (opacity !== "" && parseFloat(opacity) < 0.05) return HiddenReason.INVISIBLE;
  const cut = ["hidden", "clip"].includes(get("overflow"));
  const empty = ["height", "max-height", "width", "max-width"].some((property) => isZero(get(property)));
  if (cut && empty) return HiddenReason.NOT_DISPLAYED;
  if (/^rect\(\s*([01](px)?[\s,]*){4}\)$/.test(get("clip")) || /^inset\((50|100)%/.test(get("clip-path")))
    return HiddenReason.NOT_DISPLAYED;
  const placed = ["absolute", "fixed", "relative"].includes(get("position"));
  const offsets = ["text-indent", "margin-left", "margin-top", ...(placed ? ["left", "top", "right", "bottom"] : [])];
  const outside = offsets.some((property) => (toPoints(get(property), 12) ?? 0) <= farOutside);
  return outside ? HiddenReason.OUTSIDE : undefined;
}

function isZero(length: string): boolean {
  return /^0(\.0+)?([a-z]+|%)?$/.test(length);
}

function getColor(value: string, outer: CssColor | undefined): CssColor | undefined {
  return value === "" || value === "inherit" ? outer : parseColor(value);
}

function getGround(get: (property: string) => string, outer: CssColor | undefined): CssColor | undefined {
  const image = get("background-image");
  if (image !== "" && image !== "none") return undefined;
  const shorthand = get("background");
  if (/url\(|gradient/.test(shorthand)) return undefined;
  const value =
    get("background-color") || (/(?:^|\s)(#[0-9a-f]{3,8}|rgba?\([^)]*\)|[a-z]+)(?=\s|$)/.exec(shorthand)?.[1] ?? "");
  if (["", "inherit", "none", "initial", "unset"].includes(value)) return outer;
  const color = parseColor(value);
  if (color === undefined || color.alpha === 1) return color;
  return color.alpha === 0 ? outer : undefined;
}

function getSize(value: string, outer: number | undefined): number | undefined {
  if (value === "" || value === "inherit") return outer;
  if (isZero(value)) return 0;
  return value.endsWith("%") ? outer && (outer * parseFloat(value)) / 100 : toPoints(value, outer);
}

/** Converts a length to points; undefined for units that are not known. */
function toPoints(length: string, size: number | undefined): number | undefined {
  const [, number = "", unit = ""] = /^(-?[\d.]+)(px|pt|em|rem|in|cm|mm)?$/.exec(length) ?? [];
  if (number === "") return undefined;
  const points = { px: 0.75, pt: 1, em: size ?? 12, rem: 12, in: 72, cm: 28.35, mm: 2.835, "": 0.75 }[unit];
  return points === undefined ? undefined : parseFloat(number) * points;
}
