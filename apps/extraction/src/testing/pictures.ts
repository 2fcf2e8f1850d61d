import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import type { Canvas, SKRSContext2D } from "@napi-rs/canvas";

/** How a sheet of paper is drawn. Angles are in degrees, clockwise. */
export interface SheetOptions {
  readonly angle?: number;
  readonly blur?: number;
  /** The color of what is behind the paper. */
  readonly ground?: string;
}

/** How lines of text are drawn. */
export interface DrawingOptions extends SheetOptions {
  readonly fontSize?: number;
}

/** Returns a font of `size` pixels, which comes from pdfjs-dist, so that it is the same everywhere. */
export function getFont(size: number): string {
  const fonts = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "standard_fonts");
  if (!GlobalFonts.has("Drawn")) GlobalFonts.registerFromPath(join(fonts, "LiberationSans-Regular.ttf"), "Drawn");
  return `${size}px Drawn`;
}

/** Draws lines of text on a white picture that is just large enough, and turns it. */
export function drawText(lines: readonly string[], { fontSize = 26, ...options }: DrawingOptions = {}): Canvas {
  const font = getFont(fontSize);
  const ruler = createCanvas(1, 1).getContext("2d");
  ruler.font = font;
  const width = Math.max(...lines.map((line) => ruler.measureText(line).width)) + 2 * fontSize;
  const height = (lines.length + 1) * fontSize * 1.5;
  return drawSheet(width, height, options, (context) => {
    context.font = font;
    for (const [index, line] of lines.entries()) context.fillText(line, fontSize, (index + 1.2) * fontSize * 1.5);
  });
}

/** Draws a white sheet of paper of this size in pixels, turned around its center, on a picture that is just large enough. */
export function drawSheet(
  width: number,
  height: number,
  { angle = 0, blur = 0, ground = "white" }: SheetOptions,
  draw: (context: SKRSContext2D) => void,
): Canvas {
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const canvas = createCanvas(Math.round(width * cos + height * sin), Math.round(width * sin + height * cos));
  const context = canvas.getContext("2d");
  context.fillStyle = ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate(radians);
  context.translate(-width / 2, -height / 2);
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.fillStyle = "black";
  if (blur > 0) context.filter = `blur(${blur}px)`;
  draw(context);
  return canvas;
}
