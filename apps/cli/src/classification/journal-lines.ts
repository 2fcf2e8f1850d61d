import type { FileHandle } from "node:fs/promises";

/** A line of a file without its end. */
export interface Line {
  readonly bytes: Buffer;
  /** Where it begins in the file, in bytes. */
  readonly position: number;
  /** Whether the file continues behind it, so that nothing of it was cut off. */
  readonly isEnded: boolean;
}

/** Reads the lines of a file one by one, so that it may be larger than memory. An empty file has none. */
export async function* readLines(file: FileHandle): AsyncGenerator<Line, void, void> {
  let parts: Buffer[] = [];
  let position = 0;
  const take = (last: Buffer, isEnded: boolean): Line => {
    const bytes = Buffer.concat([...parts, last]);
    const line = { bytes, position, isEnded };
    parts = [];
    position += bytes.length + 1;
    return line;
  };
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield take(chunk.subarray(start, end), true);
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield take(Buffer.alloc(0), false);
}
