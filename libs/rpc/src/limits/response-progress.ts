/** The progress of sending a response. */
export interface ResponseProgress {
  /** The number of bytes that are available but not yet written to the stream. */
  unreadBytes: number;
}

/** Small enough that a slow reader takes a chunk in time, and so differs from one that has stopped. */
const chunkBytes = 64 * 1024;

/** Splits a response body into small chunks that are sent one at a time, and records in `progress` how much remains. */
export async function* splitIntoChunks(
  body: AsyncIterable<Uint8Array>,
  progress: ResponseProgress,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    for (let offset = 0; offset < chunk.length; offset += chunkBytes) {
      progress.unreadBytes = chunk.length - offset;
      yield chunk.subarray(offset, offset + chunkBytes);
    }
    progress.unreadBytes = 0;
  }
}
