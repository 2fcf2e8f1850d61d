import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { contains } from "./geometry.ts";
import type { Point, Shape } from "./geometry.ts";
import type { PaintedArea, PaintedPicture, PaintedWord, Painting } from "./painting.ts";
import type { Color } from "./state.ts";

/** The page on which visibility is decided, in points. */
export interface VisiblePage {
  readonly width: number;
  readonly height: number;
  /** Whether a picture is opaque at a point of the unit square, from its upper left corner. */
  readonly isOpaque: (picture: PaintedPicture, at: Point) => boolean;
}

/** Colors whose channels differ by no more than this count as equal. */
const sameColor = 16;
/** Letters of fewer points are not legible. */
const minimumHeight = 1;
/** A picture of more pixels, or one that covers half of the page, may be a scan, to which an invisible text belongs. */
const scanPixels = 100_000;

/** Why people cannot see a word, or that it belongs to the text layer of a scan; neither if they can see it. */
export type Visibility = HiddenReason | "layer" | undefined;

/** Returns for each of the words, in their order, whether people can see them. */
export function findReasons({ words, areas }: Painting, page: VisiblePage): Visibility[] {
  const index = indexAreas(areas, page.height);
  const reasons = words.map((word) => findReason(word, page, index));
  // The end of a long text often runs across the edge of its cell or of the page, and so may its beginning.
  const show = (at: number, neighbor: number): void => {
    const [word, other] = [words[at], words[neighbor]];
    if (word === undefined || other === undefined || reasons[at] !== HiddenReason.OUTSIDE) return;
    if (reasons[neighbor] === undefined && isContinued(word, other)) reasons[at] = undefined;
  };
  for (let at = 1; at < words.length; at += 1) show(at, at - 1);
  for (let at = words.length - 2; at >= 0; at -= 1) show(at, at + 1);
  return reasons;
}

/** Whether two words belong to the same text, without a wide gap between them. */
function isContinued(one: PaintedWord, other: PaintedWord): boolean {
  const gap = Math.hypot(one.x - other.x, one.y - other.y) - Math.max(one.width, other.width);
  return one.order === other.order && gap < 10 * one.height;
}

type AreaIndex = (point: Point) => readonly PaintedArea[];

function findReason(word: PaintedWord, page: VisiblePage, areasAt: AreaIndex): Visibility {
  if (!word.displayed) return HiddenReason.NOT_DISPLAYED;
  if (word.height < minimumHeight) return HiddenReason.TINY;
  const points = samplePoints(word);
  if (points.every((point) => isOutside(point, page)) || isCutOff(word, points)) return HiddenReason.OUTSIDE;
  if (word.clips) {
    // Something that is painted later shows through the letters.
    const filled = points.some((point) => areasAt(point).some(({ order }) => order > word.order));
    return filled ? undefined : HiddenReason.INVISIBLE;
  }
  const scanned = points.some((point) => areasAt(point).some((area) => isScan(area, page)));
  if (word.colors.length === 0 || word.alpha === 0) return scanned ? "layer" : HiddenReason.INVISIBLE;
  if (points.every((point) => isCovered(point, word, page, areasAt(point)))) {
    // The text of some scans is painted below their picture.
    return scanned ? "layer" : HiddenReason.COVERED;
  }
  const merged = points.every((point) => mergesWithGround(word, areasAt(point)));
  return merged ? HiddenReason.COLOR : undefined;
}

/** Returns points along the middle of the letters of a word. */
function samplePoints({ x, y, width, height, angle }: PaintedWord): Point[] {
  const radians = (angle * Math.PI) / 180;
  const [along, across] = [
    { x: Math.cos(radians), y: Math.sin(radians) },
    { x: Math.sin(radians), y: -Math.cos(radians) },
  ];
  return [0.1, 0.5, 0.9].map((part) => ({
    x: x + along.x * width * part + across.x * height * 0.3,
    y: y + along.y * width * part + across.y * height * 0.3,
  }));
}

function isOutside({ x, y }: Point, { width, height }: VisiblePage): boolean {
  return x < 0 || y < 0 || x > width || y > height;
}

/** Whether nothing of a word is near what it is clipped to. */
function isCutOff({ clip, height }: PaintedWord, points: readonly Point[]): boolean {
  const margin = 3 * height;
  return clip.some(({ bounds: { left, top, right, bottom } }) =>
    points.every(({ x, y }) => x < left - margin || x > right + margin || y < top - margin || y > bottom + margin),
  );
}

function isScan({ picture, shape }: PaintedArea, { width, height }: VisiblePage): boolean {
  if (picture === undefined) return false;
  const { left, top, right, bottom } = shape.bounds;
  return picture.width * picture.height >= scanPixels || (right - left) * (bottom - top) > (width * height) / 2;
}

/** Whether something opaque is painted over a point after a word. */
function isCovered(point: Point, word: PaintedWord, page: VisiblePage, areas: readonly PaintedArea[]): boolean {
  return areas.some(({ order, opaque, picture, color }) => {
    if (order < word.order || !opaque) return false;
    return picture === undefined ? color !== undefined : page.isOpaque(picture, toUnit(point, picture));
  });
}

/** Converts a point on the page to one of a picture, from its upper left corner. */
function toUnit({ x, y }: Point, { matrix: [a, b, c, d, e, f] }: PaintedPicture): Point {
  const determinant = a * d - b * c || 1;
  const [dx, dy] = [x - e, y - f];
  return { x: (d * dx - c * dy) / determinant, y: 1 - (a * dy - b * dx) / determinant };
}

/** Whether a word cannot be distinguished from what is painted below it at a point. The page is white. */
function mergesWithGround(word: PaintedWord, areas: readonly PaintedArea[]): boolean {
  const below = areas.findLast(({ order }) => order < word.order);
  const ground = below === undefined ? white : below.color;
  if (ground === undefined) return false;
  return word.colors.every((color) => color !== undefined && getDifference(color, ground) * word.alpha <= sameColor);
}

const white: Color = [255, 255, 255];

function getDifference(one: Color, other: Color): number {
  return Math.max(...one.map((channel, index) => Math.abs(channel - other[index]!)));
}

/** Sorts areas into bands of the page, so that those at a point are found quickly. They keep their order. */
function indexAreas(areas: readonly PaintedArea[], height: number): AreaIndex {
  const bandHeight = Math.max(1, height / 64);
  const band = (y: number): number => Math.min(63, Math.max(0, Math.floor(y / bandHeight)));
  const bands = Array.from({ length: 64 }, (): PaintedArea[] => []);
  for (const area of areas) {
    for (let at = band(area.shape.bounds.top); at <= band(area.shape.bounds.bottom); at++) bands[at]?.push(area);
  }
  const isWithin = (point: Point) => (shape: Shape) => contains(shape, point);
  return (point) =>
    (bands[band(point.y)] ?? []).filter(({ shape, clip }) => contains(shape, point) && clip.every(isWithin(point)));
}
