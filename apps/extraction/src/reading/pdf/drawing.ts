import { createCanvas } from "@napi-rs/canvas";
import { OPS } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { PDFPageProxy } from "pdfjs-dist";
import { fewPixels } from "../limits.ts";
import { toGray, usefulPixels } from "../recognition/picture/decoding.ts";
import { maximumDrawnSide } from "../recognition/picture/header.ts";
import type { Picture } from "../recognition/picture/picture.ts";

/** The resolution at which pages are drawn, in dots per inch. */
const resolution = 200;

/** Draws a page if it shows a picture of some size, and if `mayDraw` allows it. */
export async function drawScan(page: PDFPageProxy, mayDraw: () => boolean): Promise<Picture | undefined> {
  if ((await countPixels(page)) < fewPixels || !mayDraw()) return undefined;
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(
    resolution / 72,
    Math.sqrt(usefulPixels / (width * height)),
    maximumDrawnSide / Math.max(width, height),
  );
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.max(1, Math.floor(viewport.width)), Math.max(1, Math.floor(viewport.height)));
  // The canvas behaves like that of a browser, whose type is not known here.
  await page.render({ canvas: canvas as never, viewport, background: "white" }).promise;
  return toGray(canvas);
}

/** Counts the pixels of the pictures that a page shows. */
async function countPixels(page: PDFPageProxy): Promise<number> {
  const { fnArray, argsArray } = await page.getOperatorList();
  let pixels = 0;
  for (const [index, operator] of fnArray.entries()) {
    const args = argsArray[index] as unknown[] | null;
    if (operator === OPS.paintImageXObject) pixels += Number(args?.[1]) * Number(args?.[2]);
    else if (operator === OPS.paintImageMaskXObject || operator === OPS.paintInlineImageXObject) {
      const { width, height } = (args?.[0] ?? {}) as { width?: number; height?: number };
      pixels += (width ?? 0) * (height ?? 0);
    }
  }
  return pixels;
}
