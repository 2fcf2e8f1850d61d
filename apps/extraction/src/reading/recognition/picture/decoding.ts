import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Canvas } from "@napi-rs/canvas";
import { findProblem } from "./header.ts";
import type { PictureFormat } from "./format.ts";
import type { Picture } from "./picture.ts";

/** The number of pixels to which larger pictures are reduced before they are read. */
export const usefulPixels = 4_000_000;

/** A decoded picture. `problem` says why it was not decoded. */
export type DecodedPicture =
  { readonly picture: Picture; readonly problem?: never } | { readonly picture?: never; readonly problem: string };

/**
 * Decodes a picture as it is displayed: rotated as its EXIF data says, on white where it is transparent, and the first one of an animation.
 * Its header is checked before anything is decoded. Never fails: the result contains the problem.
 */
export async function decodePicture(bytes: Uint8Array, format: PictureFormat): Promise<DecodedPicture> {
  const problem = findProblem(bytes, format);
  if (problem !== undefined) return { problem };
  try {
    const image = await loadImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const scale = Math.min(1, Math.sqrt(usefulPixels / (image.width * image.height)));
    const canvas = createCanvas(
      Math.max(1, Math.round(image.width * scale)),
      Math.max(1, Math.round(image.height * scale)),
    );
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return { picture: toGray(canvas) };
  } catch {
    return { problem: "The picture is damaged." };
  }
}

/** Converts a canvas to gray, by the luminance of its colors (ITU-R BT.601). */
export function toGray(canvas: Canvas): Picture {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const pixels = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < pixels.length; i++, at += 4) {
    pixels[i] = (data[at]! * 77 + data[at + 1]! * 150 + data[at + 2]! * 29 + 128) >> 8;
  }
  return { width, height, pixels };
}
