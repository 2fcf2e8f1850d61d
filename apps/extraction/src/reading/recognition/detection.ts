import type { Model } from "./models.ts";
import { resize } from "./picture/picture.ts";
import type { Picture } from "./picture/picture.ts";
import type { TurnedRectangle } from "./picture/rectangle.ts";
import { findRegions } from "./regions.ts";

/** The mean and the standard deviation of each channel in the pictures that the model was trained with. */
const channels = [
  { mean: 0.485, deviation: 0.229 },
  { mean: 0.456, deviation: 0.224 },
  { mean: 0.406, deviation: 0.225 },
] as const;

/** The sides of the model's input are multiples of this. */
const unit = 32;

/** The limits of the input's longer side. Measured on receipts: small pictures are read better if they are enlarged. */
const longerSide = { minimum: 1_280, maximum: 1_600 } as const;

/** Finds the lines of text in a picture, in the picture's pixels. */
export async function detectLines(picture: Picture, model: Model): Promise<TurnedRectangle[]> {
  const longer = Math.max(picture.width, picture.height);
  const scale = Math.min(longerSide.maximum, Math.max(longerSide.minimum, longer)) / longer;
  const width = toMultiple(picture.width * scale);
  const height = toMultiple(picture.height * scale);
  const scaled = resize(picture, width, height);
  const size = width * height;
  const input = new Float32Array(3 * size);
  for (const [channel, { mean, deviation }] of channels.entries()) {
    const offset = channel * size;
    for (let i = 0; i < size; i++) input[offset + i] = (scaled.pixels[i]! / 255 - mean) / deviation;
  }
  const { values } = await model.run(input, [1, 3, height, width]);
  // Both sides are scaled almost equally, so that rectangles stay rectangles.
  const ratio = { x: picture.width / width, y: picture.height / height };
  return findRegions({ width, height, probabilities: values }).map((region) => {
    const x = Math.hypot(Math.cos(region.angle) * ratio.x, Math.sin(region.angle) * ratio.y);
    const y = Math.hypot(Math.sin(region.angle) * ratio.x, Math.cos(region.angle) * ratio.y);
    return {
      center: { x: (region.center.x + 0.5) * ratio.x - 0.5, y: (region.center.y + 0.5) * ratio.y - 0.5 },
      length: region.length * x,
      height: region.height * y,
      angle: Math.atan2(Math.sin(region.angle) * ratio.y, Math.cos(region.angle) * ratio.x),
    };
  });
}

function toMultiple(length: number): number {
  return Math.max(unit, Math.round(length / unit) * unit);
}
