/** How far an answer is on its way out. */
export interface AnswerProgress {
  /** Bytes that are there and have not been handed to the stream. */
  unreadBytes: number;
}

/** Small enough that even a slow reader takes one in time, so that it can be told from one that has stopped. */
const pieceBytes = 64 * 1024;

/** The bytes of an answer in small pieces, each of which waits for its reader; notes in `progress` what is still to go. */
export async function* inPieces(
  body: AsyncIterable<Uint8Array>,
  progress: AnswerProgress,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    for (let offset = 0; offset < chunk.length; offset += pieceBytes) {
      progress.unreadBytes = chunk.length - offset;
      yield chunk.subarray(offset, offset + pieceBytes);
    }
    progress.unreadBytes = 0;
  }
}
