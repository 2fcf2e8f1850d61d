import { toLine } from "../lines.ts";
import type { PlacedWord } from "../lines.ts";
import type { ReadBox, ReadLine } from "../reading.ts";
import type { RecognizedLine, RecognizedPicture } from "./recognition.ts";
import { getCorners } from "./picture/rectangle.ts";
import type { Point, TurnedRectangle } from "./picture/rectangle.ts";

/** The text of a picture. Boxes refer to the picture after it was turned by `rotation`. */
export interface PictureText {
  /** The size of the turned picture in pixels. */
  readonly width: number;
  readonly height: number;
  readonly lines: readonly ReadLine[];
  /** The mean confidence of all characters, from 0 to 1, including those that were left out; 0 without any. */
  readonly confidence: number;
  /** Whether something was found that looks like text. */
  readonly looksLikeText: boolean;
  /** The angle in degrees, clockwise, by which the picture is turned so that its lines are horizontal and not upside down. */
  readonly rotation: number;
}

/** A recognized line in the coordinates of the turned picture. */
interface PlacedLine {
  readonly line: RecognizedLine;
  readonly left: number;
  readonly right: number;
  readonly middle: number;
  readonly height: number;
}

/** Angles up to this are measuring errors, in degrees. */
const smallestSkew = 0.3;
/** Lines are parts of one row if their middles differ by less than this part of the smaller height. */
const sameRow = 0.45;
/** A gap of more than this part of the height of a line is wide: within a line, and between lines, whose rectangles have margins. */
const wideGap = { within: 1, between: 0.4 } as const;

/** Puts the lines of a picture into reading order: rows from top to bottom, each from left to right, in the turned picture. */
export function orderLines(recognized: RecognizedPicture): PictureText {
  const { width, height, confidence, looksLikeText } = recognized;
  const degrees = (recognized.skew * 180) / Math.PI;
  const skew = Math.abs(degrees) < smallestSkew ? 0 : Math.round(degrees * 10) / 10;
  const turn = createTurn({ width, height }, (-skew * Math.PI) / 180);
  const rows = groupIntoRows(recognized.lines.map((line) => placeLine(line, turn)));
  return {
    width,
    height,
    lines: rows.map((row) => toLine(placeWords(row, { width, height }, turn))),
    confidence,
    looksLikeText,
    rotation: (recognized.quarterTurns * 90 - skew + 360) % 360,
  };
}

type Turn = (rectangle: TurnedRectangle) => TurnedRectangle;

/** Creates the function that turns rectangles with their picture around its center. */
function createTurn({ width, height }: { width: number; height: number }, angle: number): Turn {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return (rectangle) => {
    const x = rectangle.center.x + 0.5 - width / 2;
    const y = rectangle.center.y + 0.5 - height / 2;
    const center = { x: x * cos - y * sin + width / 2, y: x * sin + y * cos + height / 2 };
    return { ...rectangle, center, angle: rectangle.angle + angle };
  };
}

function placeLine(line: RecognizedLine, turn: Turn): PlacedLine {
  const turned = turn(line.rectangle);
  const corners = getCorners(turned);
  return {
    line,
    left: Math.min(...corners.map(({ x }) => x)),
    right: Math.max(...corners.map(({ x }) => x)),
    middle: turned.center.y,
    height: turned.height,
  };
}

/** Groups lines into rows from top to bottom. Each is compared with the nearest line of a row, because the paper may be curved. */
function groupIntoRows(lines: readonly PlacedLine[]): PlacedLine[][] {
  const rows: PlacedLine[][] = [];
  for (const line of [...lines].sort((a, b) => a.middle - b.middle || a.left - b.left)) {
    const row = rows.slice(-8).findLast((others) => continues(line, others));
    if (row === undefined) rows.push([line]);
    else row.push(line);
  }
  return rows.map((row) => row.sort((a, b) => a.left - b.left));
}

function continues(line: PlacedLine, row: readonly PlacedLine[]): boolean {
  const distance = (other: PlacedLine): number => Math.max(other.left - line.right, line.left - other.right);
  const nearest = row.reduce((best, other) => (distance(other) < distance(best) ? other : best));
  const height = Math.min(line.height, nearest.height);
  const overlaps = row.some((other) => distance(other) < -0.5 * height);
  return !overlaps && Math.abs(line.middle - nearest.middle) < sameRow * height;
}

function placeWords(row: readonly PlacedLine[], size: { width: number; height: number }, turn: Turn): PlacedWord[] {
  return row.flatMap((placed, place) => {
    const previous = row[place - 1];
    const { rectangle, words } = placed.line;
    return words.map((word, index) => {
      const before = words[index - 1];
      const gap =
        before === undefined ? placed.left - (previous?.right ?? 0) : (word.start - before.end) * rectangle.length;
      const wide = gap > (before === undefined ? wideGap.between : wideGap.within) * placed.height;
      const box = toBox(getCorners(turn(getPart(rectangle, word.start, word.end))), size);
      return {
        text: word.text,
        before: wide ? ("\t" as const) : (" " as const),
        box,
        confidence: rounded(word.confidence),
      };
    });
  });
}

/** Returns the part of a rectangle between two fractions of its length. */
function getPart(rectangle: TurnedRectangle, start: number, end: number): TurnedRectangle {
  const shift = ((start + end) / 2 - 0.5) * rectangle.length;
  const { center, angle, length } = rectangle;
  return {
    ...rectangle,
    center: { x: center.x + Math.cos(angle) * shift, y: center.y + Math.sin(angle) * shift },
    length: length * (end - start),
  };
}

function toBox(corners: readonly Point[], size: { width: number; height: number }): ReadBox {
  const within = (value: number): number => rounded(Math.min(1, Math.max(0, value)));
  const x = within(Math.min(...corners.map((corner) => corner.x)) / size.width);
  const y = within(Math.min(...corners.map((corner) => corner.y)) / size.height);
  const right = within(Math.max(...corners.map((corner) => corner.x)) / size.width);
  const bottom = within(Math.max(...corners.map((corner) => corner.y)) / size.height);
  return { x, y, width: rounded(right - x), height: rounded(bottom - y) };
}

function rounded(value: number): number {
  return Math.round(value * 100_000) / 100_000;
}
