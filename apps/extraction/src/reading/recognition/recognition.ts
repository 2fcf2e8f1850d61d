import { decodeCharacters } from "./characters.ts";
import { detectLines } from "./detection.ts";
import { alignLines, directLines } from "./direction.ts";
import type { Models } from "./models.ts";
import { turn } from "./picture/picture.ts";
import type { Picture } from "./picture/picture.ts";
import type { TurnedRectangle } from "./picture/rectangle.ts";
import { findSpaces, groupIntoWords, hasSpaces } from "./spacing.ts";
import type { SpacedLine, StripWord } from "./spacing.ts";
import { createPyramid, cutStrip } from "./picture/strip.ts";
import type { Pyramid } from "./picture/strip.ts";

/** A recognized line of text: its words, and its rectangle in the pixels of the picture. Its angle is the direction of reading. */
export interface RecognizedLine {
  readonly words: readonly StripWord[];
  readonly rectangle: TurnedRectangle;
}

/** The height of the recognition model's input. */
const stripHeight = 48;
/** The maximum width of the input, and so the memory that it needs. Longer lines are squeezed. */
const maximumStripWidth = 2_400;
/** Lines with a lower confidence are noise, such as the texture of a table. */
const minimumConfidence = 0.5;

/** The text of a picture. */
export interface RecognizedPicture {
  /** The size of the picture in pixels after quarter turns. */
  readonly width: number;
  readonly height: number;
  /** The lines, in no particular order, in the pixels of the turned picture. */
  readonly lines: readonly RecognizedLine[];
  /** The quarter turns of the picture, clockwise, after which its lines are almost horizontal and not upside down. */
  readonly quarterTurns: number;
  /** The direction of most lines of the turned picture in radians, clockwise; 0 is to the right. */
  readonly skew: number;
  /** The mean confidence of all characters, including those that are left out because they are too uncertain; 0 without any. */
  readonly confidence: number;
  /** Whether something was found that looks like text. */
  readonly looksLikeText: boolean;
}

/** Recognizes the lines of a picture. The same picture always gives the same result. */
export async function recognizeLines(original: Picture, models: Models): Promise<RecognizedPicture> {
  let picture = original;
  let regions = await detectLines(picture, models.detection);
  let pyramid = createPyramid(picture);
  let directed = await directLines(regions, pyramid, models.direction);
  const quarterTurns = -Math.round(directed.angle / (Math.PI / 2)) & 3;
  if (quarterTurns !== 0) {
    // Lines are found more exactly if they are upright.
    picture = turn(original, quarterTurns);
    regions = await detectLines(picture, models.detection);
    pyramid = createPyramid(picture);
    directed = alignLines(regions);
  }
  const spaced: SpacedLine[] = [];
  for (const rectangle of directed.lines) spaced.push(await recognizeLine(rectangle, pyramid, models));
  const writesSpaces = models.mayWriteSpaces && hasSpaces(spaced);
  const lines: RecognizedLine[] = [];
  const all: StripWord[] = [];
  for (const [index, rectangle] of directed.lines.entries()) {
    const words = groupIntoWords(spaced[index]!, writesSpaces);
    all.push(...words);
    if (words.length > 0 && getConfidence(words) >= minimumConfidence) lines.push({ words, rectangle });
  }
  const { width, height } = picture;
  const looksLikeText = regions.length > 0;
  return { width, height, lines, quarterTurns, skew: directed.angle, confidence: getConfidence(all), looksLikeText };
}

/** Returns the mean confidence of words, weighted by their length; 0 without words. */
export function getConfidence(words: readonly { text: string; confidence: number }[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / letters;
}

async function recognizeLine(
  line: TurnedRectangle,
  pyramid: Pyramid,
  { recognition, alphabet }: Models,
): Promise<SpacedLine> {
  const ideal = (line.length / line.height) * stripHeight;
  const width = Math.min(maximumStripWidth, Math.max(stripHeight, Math.ceil(ideal / 8) * 8));
  const strip = cutStrip(pyramid, line, width, stripHeight);
  const size = width * stripHeight;
  const input = new Float32Array(3 * size);
  for (let i = 0; i < size; i++) {
    const value = strip.pixels[i]! / 127.5 - 1;
    input[i] = value;
    input[size + i] = value;
    input[2 * size + i] = value;
  }
  const { values, dimensions } = await recognition.run(input, [1, 3, stripHeight, width]);
  return findSpaces(decodeCharacters(values, dimensions[1] ?? 1, alphabet), strip);
}
