import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { isSameColor, white } from "../../html/colors.ts";
import type { CssColor } from "../../html/colors.ts";
import type { XmlElement } from "../../xml/tree.ts";
import { findBelow } from "../parts.ts";
import { isMarkedHidden } from "../pictures.ts";
import { createFills } from "./colors.ts";
import type { Fill } from "./colors.ts";
import type { SlideModels } from "./models.ts";
import { contains, listShapes, overlap } from "./shapes.ts";
import type { Rectangle, Shape } from "./shapes.ts";

/** Tells which parts of a slide people can see. */
export interface SlideVisibility {
  /** Why a shape, or a run of text in one, is hidden; undefined if it is not, or if that is not known. */
  readonly getReason: (element: XmlElement) => HiddenReason | undefined;
}

/**
 * Creates the visibility of a slide, whose size may be given. What is hidden: shapes that are marked as hidden, outside of the slide, or below a filled
 * rectangle; and runs smaller than a point, in no color, or in the color of their background, if that is known: neither pictures nor gradients.
 */
export function createSlideVisibility(
  slide: XmlElement,
  { layout, master, theme }: SlideModels,
  size: Readonly<Record<string, string>>,
): SlideVisibility {
  const override = findBelow(slide, "overrideClrMapping")[0] ?? (layout && findBelow(layout, "overrideClrMapping")[0]);
  const map = override ?? (master && findBelow(master, "clrMap")[0]);
  const fills = createFills(theme, map?.attributes ?? defaultMap);
  const own = listShapes(slide, fills, [layout, master]);
  const shapes = new Map(own.map((shape) => [shape.element, shape]));
  // A shape with an animation may not be there all the time.
  const animated = new Set(findBelow(slide, "spTgt").map(({ attributes }) => attributes["spid"]));
  // Placeholders of layouts and masters are only models of those on slides.
  const behind = [master, layout].flatMap((root) =>
    root === undefined ? [] : listShapes(root, fills, []).filter(({ isPlaceholder }) => !isPlaceholder),
  );
  const painted = [...behind, ...own];
  const grounds = new Map<XmlElement, CssColor | undefined>();
  const [width, height] = [Number(size["cx"]), Number(size["cy"])];

  function getShapeReason(shape: Shape): HiddenReason | undefined {
    const { place } = shape;
    if (place === undefined) return undefined;
    if (isOutside(place)) return HiddenReason.OUTSIDE;
    const above = painted.slice(painted.indexOf(shape) + 1);
    const isCovered = above.some(
      (other) =>
        other.place !== undefined &&
        isOpaque(other) &&
        contains(other.place, place) &&
        !animated.has(findBelow(other.element, "cNvPr")[0]?.attributes["id"]),
    );
    return isCovered ? HiddenReason.COVERED : undefined;
  }

  function isOutside({ left, top, right, bottom }: Rectangle): boolean {
    if (!(width > 0 && height > 0)) return false;
    return left >= width || top >= height || (left < 0 && right <= 0) || (top < 0 && bottom <= 0);
  }

  function getGround(shape: Shape): CssColor | undefined {
    if (!grounds.has(shape.element)) grounds.set(shape.element, findGround(shape));
    return grounds.get(shape.element);
  }

  /** Returns the color below the text of a shape: its own, or that of the uppermost of those below it. */
  function findGround(shape: Shape): CssColor | undefined {
    if (shape.element.name === "graphicFrame") return undefined;
    if (shape.fill !== "none") return toOpaque(shape.fill);
    const { place } = shape;
    if (place === undefined) return undefined;
    for (const other of painted.slice(0, painted.indexOf(shape)).reverse()) {
      if (other.fill === "none") continue;
      if (other.place === undefined) return undefined;
      if (!overlap(other.place, place)) continue;
      return isOpaque(other) && contains(other.place, place) ? toOpaque(other.fill) : undefined;
    }
    return findBackground();
  }

  function findBackground(): CssColor | undefined {
    for (const root of [slide, layout, master]) {
      const background = root && findBelow(root, "bg")[0];
      if (background === undefined) continue;
      const reference = background.children.find(({ name }) => name === "bgRef");
      if (reference === undefined) return toOpaque(fills.get(background.children[0]));
      const isPlain = reference.attributes["idx"] === "1001" && hasPlainBackground(theme);
      return isPlain ? fills.getColor(reference.children[0]) : undefined;
    }
    return white;
  }

  function getRunReason(run: XmlElement): HiddenReason | undefined {
    const properties = listProperties(run);
    const size = properties.map(({ attributes }) => attributes["sz"]).find((each) => each !== undefined);
    if (size !== undefined && Number(size) < 100) return HiddenReason.TINY;
    const color = properties.map((each) => fills.get(each)).find((each) => each !== undefined);
    if (color === undefined || color === "unknown" || properties.some(isEmphasized)) return undefined;
    if (color === "none" || color.alpha < 0.05) return HiddenReason.INVISIBLE;
    const ground = findGroundOf(run);
    return ground !== undefined && isSameColor(color, ground) ? HiddenReason.COLOR : undefined;
  }

  /** Returns the color below a run: that of its cell in a table, or that of its shape. */
  function findGroundOf(run: XmlElement): CssColor | undefined {
    for (let each = run.parent; each !== undefined; each = each.parent) {
      if (each.name === "tc") return toOpaque(fills.get(each.children.find(({ name }) => name === "tcPr")));
      const shape = shapes.get(each);
      if (shape !== undefined) return getGround(shape);
    }
    return undefined;
  }

  /** Whether the properties of a run show its letters in another way than by their color: by an outline, a shadow or a marker. */
  function isEmphasized({ children }: XmlElement): boolean {
    return children.some((child) => {
      const outline = child.name === "ln" ? fills.get(child) : undefined;
      const hasEffect = /^(effectLst|effectDag)$/.test(child.name) && child.children.length > 0;
      return hasEffect || child.name === "highlight" || (outline !== undefined && outline !== "none");
    });
  }

  return {
    getReason(element) {
      if (isMarkedHidden(element)) return HiddenReason.NOT_DISPLAYED;
      if (element.name === "r" || element.name === "fld") return getRunReason(element);
      const shape = shapes.get(element);
      return shape && getShapeReason(shape);
    },
  };
}

/** How masters usually name the colors of their theme. */
const defaultMap: Readonly<Record<string, string>> = { bg1: "lt1", tx1: "dk1", bg2: "lt2", tx2: "dk2" };

/** Whether the first background of a theme is the color to which slides refer. */
function hasPlainBackground(theme: XmlElement | undefined): boolean {
  const first = theme && findBelow(theme, "bgFillStyleLst")[0]?.children[0];
  const color = first?.children[0];
  return first?.name === "solidFill" && color?.attributes["val"] === "phClr" && color.children.length === 0;
}

function isOpaque({ fill, isRectangle }: Shape): boolean {
  return isRectangle && toOpaque(fill) !== undefined;
}

function toOpaque(fill: Fill): CssColor | undefined {
  return typeof fill === "object" && fill.alpha === 1 ? fill : undefined;
}

/** Returns the properties of a run, and those of its level in the list of its own shape, which count where it states nothing. */
function listProperties(run: XmlElement): XmlElement[] {
  const find = (element: XmlElement | undefined, wanted: string): XmlElement | undefined =>
    element?.children.find(({ name }) => name === wanted);
  const level = Number(find(run.parent, "pPr")?.attributes["lvl"] ?? 0) + 1;
  const list = find(find(find(run.parent?.parent, "lstStyle"), `lvl${level}pPr`), "defRPr");
  return [find(run, "rPr"), list].filter((each) => each !== undefined);
}
