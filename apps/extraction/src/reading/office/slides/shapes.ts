import type { XmlElement } from "../../xml/tree.ts";
import { findBelow } from "../parts.ts";
import type { Fill, Fills } from "./colors.ts";

/** A rectangle on a slide, in its units. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A shape as it is painted. */
export interface Shape {
  readonly element: XmlElement;
  /** Undefined if it is not known, for example because it is turned. */
  readonly place: Rectangle | undefined;
  readonly fill: Fill;
  /** Whether it paints all of its place. */
  readonly isRectangle: boolean;
  /** Whether it gets its place from a layout. */
  readonly isPlaceholder: boolean;
}

const shapeNames: ReadonlySet<string> = new Set(["sp", "pic", "graphicFrame", "cxnSp"]);

/**
 * Returns the shapes of a slide, a layout or a master, in the order in which they are painted, including those in groups. What a
 * placeholder does not state is that of the first of `inherited` which is for the same.
 */
export function listShapes(root: XmlElement, fills: Fills, inherited: readonly (XmlElement | undefined)[]): Shape[] {
  const shapes: Shape[] = [];
  const visit = (parent: XmlElement, toSlide: Transform): void => {
    for (const element of parent.children) {
      if (element.name === "Fallback") continue;
      if (shapeNames.has(element.name)) shapes.push(describe(element, toSlide));
      else visit(element, element.name === "grpSp" ? enterGroup(element, toSlide) : toSlide);
    }
  };

  function describe(element: XmlElement, toSlide: Transform): Shape {
    const placeholder = findPlaceholder(element);
    const models = placeholder === undefined ? [] : inherited.flatMap((each) => findSame(each, placeholder) ?? []);
    const all = [element, ...models];
    const frames = all.flatMap((each) => findFrame(each) ?? []);
    const stated = all.map((each) => fills.get(getProperties(each))).find((fill) => fill !== undefined);
    const styled = all.some((each) => Number(findBelow(each, "fillRef")[0]?.attributes["idx"] ?? 0) > 0);
    const geometry = findBelow(getProperties(element) ?? element, "prstGeom")[0]?.attributes["prst"];
    const isPicture = element.name === "pic" || element.name === "graphicFrame";
    return {
      element,
      place: frames[0] && toSlide(frames[0]),
      // Pictures, tables and charts show something, but it is not known what.
      fill: isPicture ? "unknown" : (stated ?? (styled ? "unknown" : "none")),
      isRectangle: geometry === undefined || geometry === "rect",
      isPlaceholder: placeholder !== undefined,
    };
  }

  visit(root, (place) => place);
  return shapes;
}

/** Whether two rectangles have points in common. */
export function overlap(one: Rectangle, other: Rectangle): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Whether a rectangle contains another. */
export function contains(outer: Rectangle, { left, top, right, bottom }: Rectangle): boolean {
  return outer.left <= left && outer.top <= top && outer.right >= right && outer.bottom >= bottom;
}

type Transform = (place: Rectangle) => Rectangle | undefined;

/** Returns what converts the places in a group, which has units of its own, to those on the slide. */
function enterGroup(group: XmlElement, toSlide: Transform): Transform {
  const frame = getProperties(group)?.children.find(({ name }) => name === "xfrm");
  const [outer, inner] = [readRectangle(frame, "off", "ext"), readRectangle(frame, "chOff", "chExt")];
  if (outer === undefined || inner === undefined) return () => undefined;
  const across = (outer.right - outer.left) / (inner.right - inner.left);
  const down = (outer.bottom - outer.top) / (inner.bottom - inner.top);
  if (!Number.isFinite(across) || !Number.isFinite(down)) return () => undefined;
  return ({ left, top, right, bottom }) =>
    toSlide({
      left: outer.left + (left - inner.left) * across,
      top: outer.top + (top - inner.top) * down,
      right: outer.left + (right - inner.left) * across,
      bottom: outer.top + (bottom - inner.top) * down,
    });
}

function getProperties({ name, children }: XmlElement): XmlElement | undefined {
  return children.find((child) => child.name === (name === "grpSp" ? "grpSpPr" : "spPr"));
}

/** Returns the place that a shape states; undefined if it states none, or is turned. */
function findFrame(shape: XmlElement): Rectangle | undefined {
  const frame = (getProperties(shape) ?? shape).children.find(({ name }) => name === "xfrm");
  return Number(frame?.attributes["rot"] ?? 0) === 0 ? readRectangle(frame, "off", "ext") : undefined;
}

function readRectangle(frame: XmlElement | undefined, start: string, size: string): Rectangle | undefined {
  const [offset, extent] = [start, size].map(
    (wanted) => frame?.children.find(({ name }) => name === wanted)?.attributes,
  );
  const [left, top] = [Number(offset?.["x"]), Number(offset?.["y"])];
  const [right, bottom] = [left + Number(extent?.["cx"]), top + Number(extent?.["cy"])];
  return Number.isFinite(right) && Number.isFinite(bottom) ? { left, top, right, bottom } : undefined;
}

/** Returns the attributes of the placeholder that a shape is; undefined if it is not one. */
function findPlaceholder(shape: XmlElement): Readonly<Record<string, string>> | undefined {
  return shape.children.filter(({ name }) => /^nv\w*Pr$/.test(name)).flatMap((each) => findBelow(each, "ph"))[0]
    ?.attributes;
}

/** Returns the shape of a layout or a master from which a placeholder inherits. */
function findSame(
  root: XmlElement | undefined,
  { type = "obj", idx }: Readonly<Record<string, string>>,
): XmlElement | undefined {
  const candidates = root === undefined ? [] : findBelow(root, "sp").map((sp) => ({ sp, own: findPlaceholder(sp) }));
  const kind = (name: string): string => ({ ctrTitle: "title", subTitle: "body", obj: "body" })[name] ?? name;
  const byNumber = candidates.find(({ own }) => idx !== undefined && own?.["idx"] === idx);
  return (byNumber ?? candidates.find(({ own }) => own !== undefined && kind(own["type"] ?? "obj") === kind(type)))?.sp;
}
