/** A point on a page, in points from the upper left corner of the page as it is displayed. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A transformation of points: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** The transformation that changes nothing. */
export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the transformation that applies `inner` and then `outer`. */
export function compose(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  return [
    a * inner[0] + c * inner[1],
    b * inner[0] + d * inner[1],
    a * inner[2] + c * inner[3],
    b * inner[2] + d * inner[3],
    a * inner[4] + c * inner[5] + e,
    b * inner[4] + d * inner[5] + f,
  ];
}

/** Applies a transformation to a point. */
export function transform([a, b, c, d, e, f]: Matrix, x: number, y: number): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

/** Reads a transformation from numbers; missing ones are those of the identity. */
export function toMatrix(numbers: ArrayLike<number>): Matrix {
  return identity.map((usual, index) => numbers[index] ?? usual) as unknown as Matrix;
}

/** The smallest rectangle around points. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the rectangle around a single point. */
export function around(x: number, y: number): Bounds {
  return { left: x, right: x, top: y, bottom: y };
}

/** Returns the smallest rectangle around two others. */
export function unite(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** Moves the sides of a rectangle outwards. */
export function grow({ left, top, right, bottom }: Bounds, by: number): Bounds {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

/** Returns what two rectangles have in common. If that is nothing, its sides are in the wrong order, so that it overlaps no rectangle of some size. */
export function intersect(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

/** Whether two rectangles have points in common, which may be on their sides. */
export function overlap(one: Bounds, other: Bounds): boolean {
  return one.left <= other.right && one.right >= other.left && one.top <= other.bottom && one.bottom >= other.top;
}

/** A filled shape: its closed outlines, and how they are filled. */
export interface Shape {
  readonly outlines: readonly (readonly Point[])[];
  readonly bounds: Bounds;
  /** Whether a point is inside if it is enclosed an odd number of times; otherwise, the directions of the outlines count. */
  readonly evenOdd: boolean;
}

/** Creates the shape with these outlines. */
export function createShape(outlines: readonly (readonly Point[])[], evenOdd = false): Shape {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of outlines.flat()) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { outlines, bounds: { left, top, right, bottom }, evenOdd };
}

/** Creates the shape of a transformed rectangle. */
export function createRectangle(matrix: Matrix, [x0, y0, x1, y1]: readonly [number, number, number, number]): Shape {
  const corners = [
    transform(matrix, x0, y0),
    transform(matrix, x1, y0),
    transform(matrix, x1, y1),
    transform(matrix, x0, y1),
  ];
  return createShape([corners]);
}

/** Whether a shape contains a point (winding number or parity of its outlines). */
export function contains({ outlines, bounds, evenOdd }: Shape, { x, y }: Point): boolean {
  if (x < bounds.left || x > bounds.right || y < bounds.top || y > bounds.bottom) return false;
  let winding = 0;
  let crossings = 0;
  for (const outline of outlines) {
    for (let index = 0, from = outline.at(-1); index < outline.length; index++) {
      const to = outline[index]!;
      if (from !== undefined && from.y > y !== to.y > y) {
        const crossing = from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
        if (crossing > x) {
          crossings += 1;
          winding += to.y > from.y ? 1 : -1;
        }
      }
      from = to;
    }
  }
  return evenOdd ? crossings % 2 === 1 : winding !== 0;
}

/** The maximum number of points of a shape that are kept, so that hostile pages take bounded time. */
const maxPoints = 2_000;

/** Converts a path of pdf.js to closed outlines. Curves become the lines between their ends and control points. */
export function toOutlines(path: ArrayLike<number>, matrix: Matrix): Point[][] {
  const outlines: Point[][] = [];
  let points = 0;
  const add = (at: number): void => {
    if (points++ < maxPoints) outlines.at(-1)?.push(transform(matrix, path[at] ?? 0, path[at + 1] ?? 0));
  };
  for (let at = 0; at < path.length;) {
    switch (path[at]) {
      case 0:
        outlines.push([]);
        add(at + 1);
        at += 3;
        break;
      case 1:
        add(at + 1);
        at += 3;
        break;
      case 2:
        for (const pair of [1, 3, 5]) add(at + pair);
        at += 7;
        break;
      case 3:
        for (const pair of [1, 3]) add(at + pair);
        at += 5;
        break;
      default:
        at += 1;
    }
  }
  return outlines;
}
