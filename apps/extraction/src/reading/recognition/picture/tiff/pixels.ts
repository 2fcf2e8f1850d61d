import { addDifferences, reverseBits, unpack } from "./codecs.ts";
import { photometrics } from "./page.ts";
import type { TiffPage, TiffSegment } from "./page.ts";

/** The samples of a part of a page: one byte for each, row by row. */
export interface Samples {
  readonly width: number;
  readonly height: number;
  readonly perPixel: number;
  readonly values: Uint8Array;
}

/** Unpacks a segment that is compressed without loss, or not at all; undefined if it is damaged. Samples of 16 bits lose their lower half. */
export function unpackSamples(page: TiffPage, segment: TiffSegment, bytes: Uint8Array): Samples | undefined {
  const perPixel = page.planar ? 1 : page.samplesPerPixel;
  const width = page.segmentWidth;
  const height = page.tiled ? page.segmentHeight : Math.min(page.segmentHeight, page.height - segment.y);
  const bits = page.bitsPerSample;
  const rowBytes = Math.ceil((width * perPixel * bits) / 8);
  const packed = bytes.slice(segment.offset, segment.offset + segment.length);
  const given = page.reversed ? reverseBits(packed) : packed;
  const rows = unpack(given, page.compression, rowBytes * height);
  if (rows === undefined) return undefined;
  if (page.differences) {
    addDifferences(rows, { rowBytes, samples: perPixel, bits, littleEndian: page.littleEndian });
  }
  return { width, height, perPixel, values: widen(rows, { count: width * perPixel, rowBytes, height }, page) };
}

/** Converts samples to bytes each. Those of fewer bits keep their values. */
function widen(
  rows: Uint8Array,
  { count, rowBytes, height }: { count: number; rowBytes: number; height: number },
  { bitsPerSample, littleEndian }: TiffPage,
): Uint8Array {
  if (bitsPerSample === 8) return rows;
  const values = new Uint8Array(count * height);
  const mask = (1 << bitsPerSample) - 1;
  for (let row = 0; row < height; row++) {
    const [from, to] = [row * rowBytes, row * count];
    for (let i = 0; i < count; i++) {
      if (bitsPerSample === 16) values[to + i] = rows[from + 2 * i + (littleEndian ? 1 : 0)]!;
      else {
        const bit = i * bitsPerSample;
        values[to + i] = (rows[from + (bit >> 3)]! >> (8 - bitsPerSample - (bit & 7))) & mask;
      }
    }
  }
  return values;
}

/** Puts the samples of planes together, each of which has one sample of every pixel. */
export function joinPlanes(planes: readonly Samples[]): Samples {
  const [{ width, height }] = planes as [Samples];
  const perPixel = planes.length;
  const values = new Uint8Array(width * height * perPixel);
  for (const [plane, { values: own }] of planes.entries()) {
    for (let i = 0; i < own.length; i++) values[i * perPixel + plane] = own[i]!;
  }
  return { width, height, perPixel, values };
}

/** Converts `count` pixels from `start` to red, green, blue and opacity. The file's own opacity is ignored, because paper has none. */
export function toColors(
  samples: Samples,
  page: TiffPage,
  start: number,
  count: number,
): Uint8ClampedArray<ArrayBuffer> {
  const { perPixel, values } = samples;
  const pixels = new Uint8ClampedArray(count * 4);
  const full = page.bitsPerSample < 8 ? 255 / ((1 << page.bitsPerSample) - 1) : 1;
  const end = start + count;
  if (page.photometric === photometrics.rgb) {
    for (let at = start * perPixel, to = 0; at < end * perPixel; at += perPixel, to += 4) {
      pixels[to] = values[at]! * full;
      pixels[to + 1] = values[at + 1]! * full;
      pixels[to + 2] = values[at + 2]! * full;
      pixels[to + 3] = 255;
    }
  } else if (page.photometric === photometrics.cmyk) {
    for (let at = start * perPixel, to = 0; at < end * perPixel; at += perPixel, to += 4) {
      const light = 1 - (values[at + 3]! * full) / 255;
      for (let color = 0; color < 3; color++) pixels[to + color] = (255 - values[at + color]! * full) * light;
      pixels[to + 3] = 255;
    }
  } else {
    const table = new Uint32Array(createTable(page, full).buffer);
    const whole = new Uint32Array(pixels.buffer);
    for (let at = start * perPixel, to = 0; to < count; at += perPixel, to++) whole[to] = table[values[at]!]!;
  }
  return pixels;
}

/** Returns the color of each value of a sample, of gray or of a palette. */
function createTable({ photometric, palette }: TiffPage, full: number): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(256 * 4);
  const third = palette.length / 3;
  for (let value = 0; value < 256; value++) {
    const gray = Math.min(255, value * full);
    const shown = photometric === photometrics.whiteIsZero ? 255 - gray : gray;
    const colors = [0, 1, 2].map((color) =>
      photometric === photometrics.palette ? (palette[value + color * third] ?? 0) >> 8 : shown,
    );
    table.set([...colors, 255], value * 4);
  }
  return table;
}
