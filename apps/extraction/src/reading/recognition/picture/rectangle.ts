/** A point in pixels from the upper left corner of a picture. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle at any angle: its center, its length along the direction of `angle` (radians, clockwise) and its height across it. */
export interface TurnedRectangle {
  readonly center: Point;
  readonly length: number;
  readonly height: number;
  readonly angle: number;
}

/** Returns the smallest rectangle around points; its length is at least its height. */
export function getSmallestRectangle(points: readonly Point[]): TurnedRectangle {
  const hull = getHull(points);
  let best: TurnedRectangle | undefined;
  for (let i = 0; i < hull.length; i++) {
    const from = hull[i]!;
    const to = hull[(i + 1) % hull.length]!;
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const found = getRectangleAt(hull, angle);
    if (best === undefined || found.length * found.height < best.length * best.height - 1e-9) best = found;
  }
  const rectangle = best ?? getRectangleAt(points, 0);
  return rectangle.length >= rectangle.height ? rectangle : turnSides(rectangle);
}

/** Describes the same rectangle along its other side. */
export function turnSides({ center, length, height, angle }: TurnedRectangle): TurnedRectangle {
  return { center, length: height, height: length, angle: angle + Math.PI / 2 };
}

/** Returns the smallest rectangle with a given direction around points. */
function getRectangleAt(points: readonly Point[], angle: number): TurnedRectangle {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (const { x, y } of points) {
    const along = x * cos + y * sin;
    const across = y * cos - x * sin;
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, across);
    bottom = Math.max(bottom, across);
  }
  const middle = (left + right) / 2;
  const down = (top + bottom) / 2;
  const center = { x: middle * cos - down * sin, y: middle * sin + down * cos };
  return { center, length: right - left, height: bottom - top, angle };
}

/** Returns the corners: the start and the end of the upper side, then the end and the start of the lower side. */
export function getCorners({ center, length, height, angle }: TurnedRectangle): Point[] {
  const along = { x: (Math.cos(angle) * length) / 2, y: (Math.sin(angle) * length) / 2 };
  const down = { x: (-Math.sin(angle) * height) / 2, y: (Math.cos(angle) * height) / 2 };
  return [
    { x: center.x - along.x - down.x, y: center.y - along.y - down.y },
    { x: center.x + along.x - down.x, y: center.y + along.y - down.y },
    { x: center.x + along.x + down.x, y: center.y + along.y + down.y },
    { x: center.x - along.x + down.x, y: center.y - along.y + down.y },
  ];
}

/** Returns the convex hull of points, by Andrew's monotone chain. */
function getHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  const chain = (ordered: readonly Point[]): Point[] => {
    const hull: Point[] = [];
    for (const point of ordered) {
      while (hull.length > 1 && cross(hull.at(-2)!, hull.at(-1)!, point) <= 0) hull.pop();
      hull.push(point);
    }
    return hull.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

function cross(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
