import { createCanvas } from "@napi-rs/canvas";
import type { Canvas } from "@napi-rs/canvas";
import { detectPictureFormat } from "./format.ts";
import { isWhole } from "./integrity.ts";

/** Draws a picture of noise, so that it is large in every format. */
function draw(): Canvas {
  const canvas = createCanvas(60, 40);
  const context = canvas.getContext("2d");
  for (let at = 0; at < 2_400; at++) {
    context.fillStyle = `rgb(${(at * 37) % 256}, ${(at * 91) % 256}, ${(at * 53) % 256})`;
    context.fillRect(at % 60, Math.floor(at / 60), 1, 1);
  }
  return canvas;
}

describe("a picture", () => {
  const canvas = draw();
  const pictures = {
    png: canvas.toBuffer("image/png"),
    jpeg: canvas.toBuffer("image/jpeg", 90),
    webp: canvas.toBuffer("image/webp", 90),
    gif: canvas.toBuffer("image/gif"),
  };

  it.each(Object.entries(pictures))(
    "is whole as %s, also with something after it, but not truncated",
    (name, bytes) => {
      const format = detectPictureFormat(bytes);
      expect(format).toBe(name);
      expect(isWhole(bytes, format!)).toBe(true);
      expect(isWhole(Buffer.concat([bytes, Buffer.from("after")]), format!)).toBe(true);
      for (let length = 30; length < bytes.length - 8; length += 97) {
        expect(isWhole(bytes.subarray(0, length), format!), String(length)).toBe(false);
      }
    },
  );

  it("is damaged if the checksum of its pixels is wrong", () => {
    const damaged = Buffer.from(pictures.png);
    const pixels = damaged.indexOf("IDAT", 0, "latin1") + 100;
    damaged[pixels] = damaged[pixels]! ^ 0xff;
    expect(isWhole(damaged, "png")).toBe(false);
  });
});
