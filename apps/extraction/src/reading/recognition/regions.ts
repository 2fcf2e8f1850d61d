import { getSmallestRectangle } from "./picture/rectangle.ts";
import type { Point, TurnedRectangle } from "./picture/rectangle.ts";

/** For each pixel of a grid, how probably it belongs to text, from 0 to 1. */
export interface ProbabilityMap {
  readonly width: number;
  readonly height: number;
  readonly probabilities: Float32Array;
}

/** A pixel at least this probable belongs to a region; the default of the models' authors. */
const pixelThreshold = 0.3;
/** A region at least this probable on average is text. */
const regionThreshold = 0.5;
/** The model finds the core of the lines. Their rectangles are enlarged by this ratio of area to perimeter. */
const enlargement = 1.6;
/** Regions that are smaller in pixels, on either side, are noise. */
const minimumSide = 3;
/** The maximum number of regions of a picture. */
const maximumRegions = 1_000;

/**
 * Finds the lines of text in a map: the rectangles around connected regions of probable pixels, as in "Real-time Scene Text Detection with
 * Differentiable Binarization" (Liao et al., 2020). They are in the order of their topmost pixels.
 */
export function findRegions(map: ProbabilityMap): TurnedRectangle[] {
  const found: TurnedRectangle[] = [];
  const seen = new Uint8Array(map.probabilities.length);
  for (let start = 0; start < seen.length && found.length < maximumRegions; start++) {
    if (seen[start] === 1 || map.probabilities[start]! < pixelThreshold) continue;
    const { edge, probability } = trace(map, seen, start);
    const core = getSmallestRectangle(edge);
    // Pixels have an extent, their centers have none.
    const rectangle = { ...core, length: core.length + 1, height: core.height + 1 };
    if (rectangle.height < minimumSide || probability < regionThreshold) continue;
    found.push(enlarge(rectangle));
  }
  return found;
}

/** Marks the region of a pixel as seen. Returns its mean probability, and the first and last pixel of each of its rows. */
function trace(
  { width, height, probabilities }: ProbabilityMap,
  seen: Uint8Array,
  start: number,
): { edge: Point[]; probability: number } {
  const rows = new Map<number, { first: number; last: number }>();
  const open = [start];
  seen[start] = 1;
  let sum = 0;
  let count = 0;
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const x = index % width;
    const y = (index - x) / width;
    sum += probabilities[index]!;
    count += 1;
    const row = rows.get(y);
    if (row === undefined) rows.set(y, { first: x, last: x });
    else if (x < row.first) row.first = x;
    else if (x > row.last) row.last = x;
    for (let down = Math.max(0, y - 1); down <= Math.min(height - 1, y + 1); down++) {
      for (let right = Math.max(0, x - 1); right <= Math.min(width - 1, x + 1); right++) {
        const next = down * width + right;
        if (seen[next] === 1 || probabilities[next]! < pixelThreshold) continue;
        seen[next] = 1;
        open.push(next);
      }
    }
  }
  const edge = [...rows].flatMap(([y, { first, last }]) => [
    { x: first, y },
    { x: last, y },
  ]);
  return { edge, probability: sum / count };
}

function enlarge({ center, length, height, angle }: TurnedRectangle): TurnedRectangle {
  const margin = (length * height * enlargement) / (2 * (length + height));
  return { center, length: length + 2 * margin, height: height + 2 * margin, angle };
}
