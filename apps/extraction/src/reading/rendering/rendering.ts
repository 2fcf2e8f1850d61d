import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Canvas, Image } from "@napi-rs/canvas";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { getPdfSettings } from "../pdf/settings.ts";
import { isPdf } from "../pdf/signature.ts";
import { detectPictureFormat } from "../recognition/picture/format.ts";
import { findProblem, maximumDrawnSide } from "../recognition/picture/header.ts";
import { isTiff } from "../recognition/picture/tiff/directory.ts";
import { drawTiffPage } from "../recognition/picture/tiff/drawing.ts";

/** The page of a file to draw. */
export interface RenderingJob {
  readonly bytes: Uint8Array;
  /** The number of the page, from 1. */
  readonly number: number;
  /** The width of the picture in pixels. */
  readonly width: number;
  /** The angle by which the page is turned, in degrees, clockwise, as its text was. */
  readonly rotation: number;
}

/** A page as a PNG; or the file has no such page, or none of which there are pictures, with a sentence. */
export type Rendering =
  | { readonly kind: "png"; readonly png: Uint8Array }
  | { readonly kind: "missing" }
  | { readonly kind: "unsupported"; readonly message: string };

/** The maximum number of pixels that are drawn. Wider pictures of high pages are smaller. */
const maxPixels = 32_000_000;

/** Draws a page of a PDF, or a picture as it is displayed. Never fails: files of other kinds and damaged ones have no pictures. */
export async function renderPage(job: RenderingJob): Promise<Rendering> {
  try {
    if (isPdf(job.bytes)) return await renderPdf(job);
    if (isTiff(job.bytes)) return await renderTiff(job);
    const format = detectPictureFormat(job.bytes);
    if (format === undefined) return unsupported("There are pictures of the pages of PDF files and of pictures only.");
    const problem = findProblem(job.bytes, format);
    if (problem !== undefined) return unsupported(problem);
    if (job.number !== 1) return { kind: "missing" };
    const image = await loadImage(Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength));
    return await encode(turn(image, job));
  } catch {
    return unsupported("The file is damaged or encrypted.");
  }
}

async function renderTiff(job: RenderingJob): Promise<Rendering> {
  const { canvas, problem } = await drawTiffPage(job.bytes, job.number, maxPixels);
  if (canvas !== undefined) return await encode(turn(canvas, job));
  return problem === undefined ? { kind: "missing" } : unsupported(problem);
}

async function renderPdf({ bytes, number, width, rotation }: RenderingJob): Promise<Rendering> {
  const task = getDocument({ data: bytes, ...getPdfSettings() });
  try {
    const pdf = await task.promise;
    if (number > pdf.numPages) return { kind: "missing" };
    const page = await pdf.getPage(number);
    const size = page.getViewport({ scale: 1 });
    // A page that is turned by quarters is drawn at the scale that its width has afterwards.
    const side = isSideways(rotation) ? size.height : size.width;
    const scale = limitScale(width / side, size);
    const viewport = page.getViewport({ scale });
    const canvas = createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)));
    // The canvas behaves like that of a browser, whose type is not known here.
    await page.render({ canvas: canvas as never, viewport, background: "white" }).promise;
    return await encode(turn(canvas, { width, rotation }));
  } finally {
    await task.destroy();
  }
}

/**
 * Turns a picture as its text was turned: by quarters, and around its center by what is left. It is reduced to the width, and never
 * enlarged beyond the limit.
 */
function turn(image: Image | Canvas, { width, rotation }: Pick<RenderingJob, "width" | "rotation">): Canvas {
  const [across, down] = isSideways(rotation) ? [image.height, image.width] : [image.width, image.height];
  const scale = limitScale(width / across, image);
  const canvas = createCanvas(Math.max(1, Math.round(across * scale)), Math.max(1, Math.round(down * scale)));
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((rotation * Math.PI) / 180);
  context.scale(scale, scale);
  context.drawImage(image, -image.width / 2, -image.height / 2);
  return canvas;
}

function limitScale(scale: number, { width, height }: { width: number; height: number }): number {
  return Math.min(scale, Math.sqrt(maxPixels / (width * height)), maximumDrawnSide / Math.max(width, height));
}

function isSideways(rotation: number): boolean {
  return Math.round(rotation / 90) % 2 === 1;
}

async function encode(canvas: Canvas): Promise<Rendering> {
  return { kind: "png", png: new Uint8Array(await canvas.encode("png")) };
}

function unsupported(message: string): Rendering {
  return { kind: "unsupported", message };
}
