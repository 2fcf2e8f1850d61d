import { crc32 } from "node:zlib";
import type { PictureFormat } from "./format.ts";

/**
 * Whether a picture has its end, which a truncated one lacks, and what its checksums say. Some cameras and editors write something after
 * it. Of an animation, the first picture counts.
 */
export function isWhole(bytes: Uint8Array, format: PictureFormat): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (format) {
    case "png":
      return isWholePng(buffer);
    case "jpeg":
      // Previews in the header have ends, too; the start of the scan is after them.
      return (
        buffer.lastIndexOf("\u00ff\u00d9", undefined, "latin1") >
        buffer.lastIndexOf("\u00ff\u00da", undefined, "latin1")
      );
    case "gif":
      return isWholeGif(buffer);
    case "webp":
      return buffer.readUInt32LE(4) + 8 <= buffer.length;
  }
}

/** Follows the chunks to the last one. Decoders show what is before a damaged chunk of pixels, and white after it. */
function isWholePng(buffer: Buffer): boolean {
  for (let at = 8; at + 12 <= buffer.length;) {
    const length = buffer.readUInt32BE(at);
    const end = at + 8 + length;
    const type = buffer.toString("latin1", at + 4, at + 8);
    if (end + 4 > buffer.length) return false;
    if (type === "IEND") return true;
    // Programs that add other chunks do not always write the right checksum, and they are not needed.
    if (type === "IDAT" && crc32(buffer.subarray(at + 4, end)) !== buffer.readUInt32BE(end)) return false;
    at = end + 4;
  }
  return false;
}

/** Follows the blocks to the end of the first picture. */
function isWholeGif(buffer: Buffer): boolean {
  const getPaletteBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + getPaletteBytes(buffer[10] ?? 0);
  while (at < buffer.length) {
    const isPicture = buffer[at] === 0x2c;
    if (!isPicture && buffer[at] !== 0x21) return false;
    // A picture begins with its place, its palette and the size of its codes; other blocks with their kind.
    at += isPicture ? 11 + getPaletteBytes(buffer[at + 9] ?? 0) : 2;
    for (let length = buffer[at]; length !== 0; length = buffer[at]) {
      if (length === undefined) return false;
      at += 1 + length;
    }
    if (isPicture) return true;
    at += 1;
  }
  return false;
}
