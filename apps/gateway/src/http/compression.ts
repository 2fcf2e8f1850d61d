import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { Coding } from "./negotiation.ts";

/** Bodies up to this size are sent as they are, unless the client excludes that: compression would save less than a packet. */
export const maxUncompressedBytes = 1024;

/** Brotli's own default is for files that are compressed once. This level takes about as long as gzip. */
const brotliQuality = 4;

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: (bytes: Buffer) => promisify(zstdCompress)(bytes),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const satisfies Record<Exclude<Coding, "identity">, (bytes: Buffer) => Promise<Buffer>>;

/** Returns the bytes in a content coding. They are compressed in another thread. */
export async function encode(bytes: Buffer, coding: Coding): Promise<Buffer> {
  return coding === "identity" ? bytes : compressors[coding](bytes);
}
