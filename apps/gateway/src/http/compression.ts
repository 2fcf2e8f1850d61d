import { pipeline, Readable, type Transform } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import type { Coding } from "./negotiation.ts";

/** Bodies up to this size are sent as they are, unless the client excludes that: compression would save less than a packet. */
export const maxUncompressedBytes = 1024;

/** Brotli's own default is for files that are compressed once. This level takes about as long as gzip. */
const brotliQuality = 4;

const brotliParameters = {
  [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { ...brotliParameters, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  zstd: (bytes: Buffer) => promisify(zstdCompress)(bytes),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const satisfies Record<Exclude<Coding, "identity">, (bytes: Buffer) => Promise<Buffer>>;

/** Each piece is sent when it is there. Brotli would otherwise keep up to 8 MB back, and the client would not even see the status. */
const streamCompressors = {
  br: () => createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH, params: brotliParameters }),
  zstd: () => createZstdCompress({ flush: constants.ZSTD_e_flush }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
} as const satisfies Record<Exclude<Coding, "identity">, () => Transform>;

/** Returns the bytes in a content coding. They are compressed in another thread. */
export async function encode(bytes: Buffer, coding: Coding): Promise<Buffer> {
  return coding === "identity" ? bytes : compressors[coding](bytes);
}

/**
 * Yields pieces of bytes in a content coding. They are compressed in another thread, and requested as fast as the result is read. Fails with
 * the error of the pieces, and ends them if the reader stops early.
 */
export async function* encodePieces(pieces: AsyncIterable<Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  if (coding === "identity") {
    yield* pieces;
    return;
  }
  const compressor = streamCompressors[coding]();
  // The reader gets the error from the compressor.
  pipeline(Readable.from(pieces, { objectMode: false }), compressor, () => undefined);
  yield* compressor as AsyncIterable<Buffer>;
}
