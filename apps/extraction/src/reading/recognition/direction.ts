import type { Model } from "./models.ts";
import type { Picture } from "./picture/picture.ts";
import { cutStrip } from "./picture/strip.ts";
import type { Pyramid } from "./picture/strip.ts";
import { turnSides } from "./picture/rectangle.ts";
import type { TurnedRectangle } from "./picture/rectangle.ts";

/** The lines that are shown to the model to find out whether the page is upside down. */
const samples = 12;

/** The size of the model's input. */
const input = { width: 192, height: 48 } as const;

/** Lines whose angles are the directions in which their text is read, and the direction of most of them. */
export interface DirectedLines {
  readonly lines: readonly TurnedRectangle[];
  readonly angle: number;
}

/** Finds out in which direction the lines of a page are read. Most lines of a page run in the same direction. */
export async function directLines(
  lines: readonly TurnedRectangle[],
  pyramid: Pyramid,
  model: Model,
): Promise<DirectedLines> {
  const aligned = alignLines(lines);
  if (!(await isUpsideDown(aligned.lines, pyramid, model))) return aligned;
  const turned = aligned.lines.map((line) => ({ ...line, angle: line.angle + Math.PI }));
  return { lines: turned, angle: aligned.angle + Math.PI };
}

/** Directs lines to the right or downwards, whichever most of them run along. */
export function alignLines(lines: readonly TurnedRectangle[]): DirectedLines {
  const angle = getMainAngle(lines);
  return { lines: lines.map((line) => alignTo(line, angle)), angle };
}

/** Returns the angle of most text, from -45 to 135 degrees in radians: the median of the long lines of the more frequent orientation. */
function getMainAngle(lines: readonly TurnedRectangle[]): number {
  const long = lines.filter((line) => line.length > 2 * line.height);
  const used = long.length > 0 ? long : lines;
  const quarter = Math.PI / 2;
  const deviations = used.map(({ angle, length }) => {
    const turns = Math.round(angle / quarter);
    return { upright: turns % 2 !== 0, angle: angle - turns * quarter, length };
  });
  const total = (upright: boolean): number =>
    sum(deviations.filter((each) => each.upright === upright).map((each) => each.length));
  const upright = total(true) > total(false);
  const sorted = deviations.filter((each) => each.upright === upright).sort((a, b) => a.angle - b.angle);
  const half = sum(sorted.map(({ length }) => length)) / 2;
  let passed = 0;
  const median = sorted.find(({ length }) => (passed += length) >= half)?.angle ?? 0;
  return median + (upright ? quarter : 0);
}

/** Describes a rectangle along the side that is closest to a direction. A rectangle that is almost square gets exactly the direction. */
function alignTo(line: TurnedRectangle, direction: number): TurnedRectangle {
  const quarter = Math.PI / 2;
  const turns = Math.round((line.angle - direction) / quarter);
  const turned = turns % 2 === 0 ? line : turnSides(line);
  const half = Math.round((turned.angle - direction) / Math.PI);
  const angle = turned.angle - half * Math.PI;
  return { ...turned, angle: turned.length > 2 * turned.height ? angle : direction };
}

async function isUpsideDown(lines: readonly TurnedRectangle[], pyramid: Pyramid, model: Model): Promise<boolean> {
  const longest = [...lines].sort((a, b) => b.length / b.height - a.length / a.height).slice(0, samples);
  let balance = 0;
  for (const line of longest) {
    const width = Math.min(input.width, Math.max(input.height, Math.round((line.length / line.height) * input.height)));
    // Of a long line, the beginning is enough; squeezed, its letters could not be recognized.
    const part = Math.min(1, (input.width / input.height) * (line.height / line.length));
    const shift = ((part - 1) * line.length) / 2;
    const center = { x: line.center.x + Math.cos(line.angle) * shift, y: line.center.y + Math.sin(line.angle) * shift };
    const strip = cutStrip(pyramid, { ...line, center, length: line.length * part }, width, input.height);
    const { values } = await model.run(padded(strip), [1, 3, input.height, input.width]);
    balance += values[1]! - values[0]!;
  }
  return balance > 0;
}

function padded(strip: Picture): Float32Array {
  const size = input.width * input.height;
  const values = new Float32Array(3 * size);
  for (let y = 0; y < input.height; y++) {
    for (let x = 0; x < strip.width; x++) {
      const value = strip.pixels[y * strip.width + x]! / 127.5 - 1;
      for (let channel = 0; channel < 3; channel++) values[channel * size + y * input.width + x] = value;
    }
  }
  return values;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
