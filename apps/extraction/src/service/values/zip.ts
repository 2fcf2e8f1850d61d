import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";

/** A file of an archive. */
export interface ZipEntry {
  readonly path: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The time of every file, so that the same files give the same archive. */
const mtime = new Date(1980, 0, 1);

/**
 * Writes a ZIP archive piece by piece. It reads the next piece of a file only when the previous ones were taken, and fails with the error of
 * a file.
 */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array, void> {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  let current: Readable | undefined;

  async function add(): Promise<void> {
    for await (const { path, bytes } of entries) {
      current = Readable.from(bytes, { objectMode: false });
      archive.addReadStream(current, path, { mtime, forceDosTimestamp: true });
      await finished(current);
      if (output.destroyed) return;
    }
    archive.end();
  }
  archive.on("error", (error) => output.destroy(error as Error));
  const adding = add().catch((error: unknown) => output.destroy(error as Error));
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    output.destroy();
    current?.destroy();
    await adding;
  }
}
