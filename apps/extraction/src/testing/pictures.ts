import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import type { Canvas } from "@napi-rs/canvas";

/** How lines of text are drawn. Angles are in degrees, clockwise. */
export interface DrawingOptions {
  readonly angle?: number;
  readonly fontSize?: number;
  readonly blur?: number;
}

/** Draws lines of text on a white picture that is just large enough, and turns it. The font comes from pdfjs-dist, so that it is always the same. */
export function drawText(
  lines: readonly string[],
  { angle = 0, fontSize = 26, blur = 0 }: DrawingOptions = {},
): Canvas {
  const fonts = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "standard_fonts");
  if (!GlobalFonts.has("Drawn")) GlobalFonts.registerFromPath(join(fonts, "LiberationSans-Regular.ttf"), "Drawn");
  const font = `${fontSize}px Drawn`;
  const ruler = createCanvas(1, 1).getContext("2d");
  ruler.font = font;
  const width = Math.max(...lines.map((line) => ruler.measureText(line).width)) + 2 * fontSize;
  const height = (lines.length + 1) * fontSize * 1.5;
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const canvas = createCanvas(Math.round(width * cos + height * sin), Math.round(width * sin + height * cos));
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate(radians);
  context.translate(-width / 2, -height / 2);
  context.fillStyle = "black";
  context.font = font;
  if (blur > 0) context.filter = `blur(${blur}px)`;
  for (const [index, line] of lines.entries()) context.fillText(line, fontSize, (index + 1.2) * fontSize * 1.5);
  return canvas;
}
