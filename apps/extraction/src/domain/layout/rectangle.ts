import type { Box } from "@switchyard/contracts/switchyard/extraction/v1/document";

/** A rectangle in fractions of a page; `x1` and `y1` are its right and lower edges. */
export interface Rectangle {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Converts a box to a rectangle; undefined if it is missing, not finite, or without any extent. */
export function toRectangle(box: Box | undefined): Rectangle | undefined {
  if (!box) return undefined;
  const { x, y, width, height } = box;
  if (![x, y, width, height].every(Number.isFinite) || width < 0 || height < 0) return undefined;
  if (width === 0 && height === 0) return undefined;
  return { x0: x, y0: y, x1: x + width, y1: y + height };
}

/** Returns the smallest rectangle around all given ones; undefined for none. */
export function around(rectangles: readonly (Rectangle | undefined)[]): Rectangle | undefined {
  let union: Rectangle | undefined;
  for (const next of rectangles) {
    if (!next) continue;
    union = union
      ? {
          x0: Math.min(union.x0, next.x0),
          y0: Math.min(union.y0, next.y0),
          x1: Math.max(union.x1, next.x1),
          y1: Math.max(union.y1, next.y1),
        }
      : next;
  }
  return union;
}

/** Returns the overlap of two rectangles as a fraction of the narrower one's width, from 0 to 1. */
export function horizontalOverlap(one: Rectangle, other: Rectangle): number {
  const shared = Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);
  const narrower = Math.min(one.x1 - one.x0, other.x1 - other.x0);
  return shared <= 0 || narrower <= 0 ? 0 : Math.min(1, shared / narrower);
}

/** Returns the part of a rectangle between two fractions of its width. */
export function slice(rectangle: Rectangle, from: number, to: number): Rectangle {
  const width = rectangle.x1 - rectangle.x0;
  return { ...rectangle, x0: rectangle.x0 + width * from, x1: rectangle.x0 + width * to };
}
