import { interpolate } from "./picture.ts";
import type { Picture } from "./picture.ts";
import type { TurnedRectangle } from "./rectangle.ts";

/** A picture with smaller versions of itself, each half as wide and high as the previous one. */
export type Pyramid = readonly Picture[];

/** Creates the smaller versions of a picture. */
export function createPyramid(picture: Picture): Pyramid {
  const levels = [picture];
  for (let level = picture; level.width > 64 && level.height > 64 && levels.length < 6;) {
    level = halve(level);
    levels.push(level);
  }
  return levels;
}

/** Cuts a line of text out of a picture, and turns it so that its text is horizontal. The strip has a fixed height. */
export function cutStrip(pyramid: Pyramid, line: TurnedRectangle, width: number, height: number): Picture {
  const scale = line.height / height;
  const level = Math.min(pyramid.length - 1, Math.max(0, Math.round(Math.log2(Math.max(scale, 1)))));
  const picture = pyramid[level]!;
  const reduction = 2 ** level;
  const cos = Math.cos(line.angle);
  const sin = Math.sin(line.angle);
  const pixels = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    const across = ((row + 0.5) / height - 0.5) * line.height;
    for (let column = 0; column < width; column++) {
      const along = ((column + 0.5) / width - 0.5) * line.length;
      const x = (line.center.x + along * cos - across * sin + 0.5) / reduction - 0.5;
      const y = (line.center.y + along * sin + across * cos + 0.5) / reduction - 0.5;
      pixels[row * width + column] = interpolate(picture, x, y) + 0.5;
    }
  }
  return { width, height, pixels };
}

function halve({ width, height, pixels }: Picture): Picture {
  const half = { width: width >> 1, height: height >> 1 };
  const smaller = new Uint8Array(half.width * half.height);
  for (let y = 0; y < half.height; y++) {
    for (let x = 0; x < half.width; x++) {
      const at = 2 * y * width + 2 * x;
      smaller[y * half.width + x] =
        (pixels[at]! + pixels[at + 1]! + pixels[at + width]! + pixels[at + width + 1]! + 2) >> 2;
    }
  }
  return { ...half, pixels: smaller };
}
