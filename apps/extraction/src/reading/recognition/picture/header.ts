import type { PictureFormat } from "./format.ts";
import { isWhole } from "./integrity.ts";

/** The size of a picture in pixels, as its header declares it. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Returns the size that the header of a picture declares, without decoding it; undefined if the header is damaged. */
export function readSize(bytes: Uint8Array, format: PictureFormat): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = readers[format](view);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    // Truncated within the header.
    return undefined;
  }
}

/** The maximum number of pixels of a picture that is decoded, which takes four bytes for each. */
const maximumPixels = 64_000_000;
/** The maximum length of a side. */
const maximumSide = 20_000;

/** The maximum length of a side of a page that is drawn. One that is thinner than a pixel would have any number of pixels otherwise. */
export const maximumDrawnSide = 32_767;

/** Returns why a picture is not decoded, from its header and its end; undefined if it may be decoded. */
export function findProblem(bytes: Uint8Array, format: PictureFormat): string | undefined {
  const size = readSize(bytes, format);
  if (size === undefined || !isWhole(bytes, format)) return "The picture is damaged.";
  return findSizeProblem(size);
}

/** Returns why a picture of a size is not decoded; undefined if it may be decoded. */
export function findSizeProblem({ width, height }: PictureSize): string | undefined {
  if (width * height <= maximumPixels && Math.max(width, height) <= maximumSide) return undefined;
  return `The picture has more than ${maximumPixels / 1e6} million pixels, or more than ${maximumSide} pixels on a side.`;
}

const readers: Readonly<Record<PictureFormat, (view: DataView) => PictureSize | undefined>> = {
  png: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  gif: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  jpeg: readJpeg,
  webp: readWebp,
};

/** Finds the start of the frame, the segment that contains the size. */
function readJpeg(view: DataView): PictureSize | undefined {
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}

function readWebp(view: DataView): PictureSize | undefined {
  switch (view.getUint32(12)) {
    case 0x56503858: // "VP8X": an extended file
      return { width: 1 + getUint24(view, 24), height: 1 + getUint24(view, 27) };
    case 0x5650384c: {
      // "VP8L": lossless
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 0x56503820: // "VP8 ": lossy
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

function getUint24(view: DataView, at: number): number {
  return view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
}
