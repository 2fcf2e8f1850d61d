/** A gray picture: one byte for each pixel, from 0 (black) to 255 (white), row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Resizes a picture. Each pixel is the average of those that it covers, or is interpolated between its neighbors. */
export function resize(picture: Picture, width: number, height: number): Picture {
  const columns = getWeights(picture.width, width);
  const rows = getWeights(picture.height, height);
  const narrow = new Float32Array(width * picture.height);
  for (let y = 0; y < picture.height; y++) {
    const line = y * picture.width;
    for (let x = 0; x < width; x++) {
      const { first, weights } = columns[x]!;
      let sum = 0;
      for (let i = 0; i < weights.length; i++) sum += picture.pixels[line + first + i]! * weights[i]!;
      narrow[y * width + x] = sum;
    }
  }
  const pixels = new Uint8Array(width * height);
  const sums = new Float32Array(width);
  for (let y = 0; y < height; y++) {
    const { first, weights } = rows[y]!;
    sums.fill(0);
    for (let i = 0; i < weights.length; i++) {
      const line = (first + i) * width;
      const weight = weights[i]!;
      for (let x = 0; x < width; x++) sums[x]! += narrow[line + x]! * weight;
    }
    for (let x = 0; x < width; x++) pixels[y * width + x] = sums[x]! + 0.5;
  }
  return { width, height, pixels };
}

/** For each target pixel, returns the first source pixel and the weights of the source pixels from there: a triangle around its center. */
function getWeights(source: number, target: number): { first: number; weights: Float32Array }[] {
  const scale = source / target;
  const radius = Math.max(1, scale);
  return Array.from({ length: target }, (_, index) => {
    const center = (index + 0.5) * scale - 0.5;
    const first = Math.max(0, Math.ceil(center - radius));
    const last = Math.min(source - 1, Math.floor(center + radius));
    const weights = new Float32Array(last - first + 1);
    let sum = 0;
    for (let i = 0; i < weights.length; i++) {
      weights[i] = Math.max(0, 1 - Math.abs(first + i - center) / radius);
      sum += weights[i]!;
    }
    for (let i = 0; i < weights.length; i++) weights[i]! /= sum;
    return { first, weights };
  });
}

/** Turns a picture clockwise by quarters. */
export function turn({ width, height, pixels }: Picture, quarters: number): Picture {
  if (quarters === 0) return { width, height, pixels };
  if (quarters === 2) return { width, height, pixels: pixels.toReversed() };
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = quarters === 1 ? x * height + height - 1 - y : (width - 1 - x) * height + y;
      turned[at] = pixels[y * width + x]!;
    }
  }
  return { width: height, height: width, pixels: turned };
}

/** Returns the brightness at a point between the centers of pixels, interpolated. Outside of the picture, its edge continues. */
export function interpolate({ width, height, pixels }: Picture, x: number, y: number): number {
  const left = Math.min(Math.max(x, 0), width - 1);
  const top = Math.min(Math.max(y, 0), height - 1);
  const column = Math.min(Math.floor(left), Math.max(0, width - 2));
  const row = Math.min(Math.floor(top), Math.max(0, height - 2));
  const right = Math.min(column + 1, width - 1);
  const below = Math.min(row + 1, height - 1);
  const dx = left - column;
  const dy = top - row;
  const upper = pixels[row * width + column]! * (1 - dx) + pixels[row * width + right]! * dx;
  const lower = pixels[below * width + column]! * (1 - dx) + pixels[below * width + right]! * dx;
  return upper * (1 - dy) + lower * dy;
}
