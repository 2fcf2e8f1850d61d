import { createCanvas, ImageData } from "@napi-rs/canvas";
import type { Canvas } from "@napi-rs/canvas";
import { getPdfSettings } from "../../../pdf/settings.ts";
import { openTiff } from "./directory.ts";
import type { Directory, TiffFile } from "./directory.ts";
import { compressions, describePage, findPages } from "./page.ts";
import type { TiffPage } from "./page.ts";
import { joinPlanes, toColors, unpackSamples } from "./pixels.ts";
import type { Samples } from "./pixels.ts";
import { wrapInPdf } from "./wrapping.ts";

/** A drawn page. `problem` says why it was not drawn; without one, the file has no such page. */
export type DrawnPage =
  | { readonly canvas: Canvas; readonly problem?: never }
  | { readonly canvas?: never; readonly problem: string | undefined };

/**
 * Draws a page of a TIFF as it is displayed, with at most `maximumPixels`; pages count from 1. Only this page is decoded. Never fails: the result
 * contains the problem.
 */
export async function drawTiffPage(bytes: Uint8Array, number: number, maximumPixels: number): Promise<DrawnPage> {
  const file = openTiff(bytes);
  const directory = findPage(file, number);
  if (directory === undefined) return { problem: undefined };
  const { page, problem } = describePage(directory, file);
  if (page === undefined) return { problem: problem.message };
  try {
    const canvas = isWrapped(page) ? await drawByPdf(page, bytes) : drawSamples(page, bytes);
    return canvas === undefined ? damaged : { canvas: display(canvas, page, maximumPixels) };
  } catch {
    return damaged;
  }
}

function findPage(file: TiffFile, number: number): Directory | undefined {
  let at = 0;
  for (const directory of findPages(file)) {
    at += 1;
    if (at === number) return directory;
  }
  return undefined;
}

const damaged: DrawnPage = { problem: "The picture is damaged." };

/** Whether the segments of a page are decoded by the reader of PDF. */
function isWrapped({ compression }: TiffPage): boolean {
  return compression >= compressions.huffman && compression <= compressions.jpeg && compression !== compressions.lzw;
}

/** The number of pixels whose colors are in memory at the same time. */
const pixelsAtOnce = 1_000_000;

function drawSamples(page: TiffPage, bytes: Uint8Array): Canvas | undefined {
  const canvas = createCanvas(page.width, page.height);
  const context = canvas.getContext("2d");
  const planes = page.planar ? page.samplesPerPixel : 1;
  const each = page.segments.length / planes;
  for (const [index, segment] of page.segments.slice(0, each).entries()) {
    const parts: Samples[] = [];
    for (let plane = 0; plane < planes; plane++) {
      const part = unpackSamples(page, page.segments[index + plane * each]!, bytes);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    const samples = planes > 1 ? joinPlanes(parts) : parts[0]!;
    const rows = Math.max(1, Math.floor(pixelsAtOnce / samples.width));
    for (let row = 0; row < samples.height; row += rows) {
      const height = Math.min(rows, samples.height - row);
      const colors = toColors(samples, page, row * samples.width, height * samples.width);
      context.putImageData(new ImageData(colors, samples.width, height), segment.x, segment.y + row);
    }
  }
  return canvas;
}

async function drawByPdf(page: TiffPage, bytes: Uint8Array): Promise<Canvas | undefined> {
  const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const task = getDocument({ data: wrapInPdf(page, bytes), ...getPdfSettings() });
  try {
    const pdfPage = await (await task.promise).getPage(1);
    const canvas = createCanvas(page.width, page.height);
    const context = canvas.getContext("2d");
    // The context behaves like that of a browser, whose type is not known here. It is given, because pdf.js would make the canvas opaque.
    await pdfPage.render({
      canvas: null,
      canvasContext: context as never,
      viewport: pdfPage.getViewport({ scale: 1 }),
      background: "transparent",
    }).promise;
    // A segment that cannot be decoded leaves its place as it was.
    const drawn = page.segments.every(({ x, y }) => context.getImageData(x, y, 1, 1).data[3] === 255);
    return drawn ? canvas : undefined;
  } finally {
    await task.destroy();
  }
}

/** Turns a picture as its orientation says, reduces it, and makes its pixels square. */
function display(stored: Canvas, { orientation, pixelHeight }: TiffPage, maximumPixels: number): Canvas {
  const [a, b, c, d] = directions[orientation - 1] ?? [1, 0, 0, 1];
  const tall = { width: stored.width, height: stored.height * pixelHeight };
  const scale = Math.min(1, Math.sqrt(maximumPixels / (tall.width * tall.height)));
  if (a === 1 && d === 1 && pixelHeight === 1 && scale === 1) return stored;
  const [width, height] = a === 0 ? [tall.height, tall.width] : [tall.width, tall.height];
  const canvas = createCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.translate(canvas.width / 2, canvas.height / 2);
  context.transform(a, b, c, d, 0, 0);
  const [across, down] = a === 0 ? [canvas.height, canvas.width] : [canvas.width, canvas.height];
  context.drawImage(stored, -across / 2, -down / 2, across, down);
  return canvas;
}

/** Where the right and the lower edge of the stored picture are displayed, for each orientation of EXIF data. */
const directions: readonly (readonly [number, number, number, number])[] = [
  [1, 0, 0, 1],
  [-1, 0, 0, 1],
  [-1, 0, 0, -1],
  [1, 0, 0, -1],
  [0, 1, 1, 0],
  [0, 1, -1, 0],
  [0, -1, -1, 0],
  [0, -1, 1, 0],
];
