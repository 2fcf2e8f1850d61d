import { pipeline } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";

/** A file of an archive. */
export interface ZipEntry {
  /** The path, in ASCII. */
  readonly path: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

interface WrittenEntry {
  readonly path: Buffer;
  readonly crc: number;
  readonly size: number;
  readonly compressed: number;
  readonly offset: number;
}

/** The greatest size and offset without the extension of the format for large archives. */
const maxSize = 0xffff_ffff;
/** The space that is left for what follows the last piece. */
const margin = 16 * 1024 * 1024;
/** The flags: sizes follow the data. The method: deflate. The date: 1 January 1980, so that the same files give the same archive. */
const [flags, deflate, date] = [0x0008, 8, 0x0021];

/**
 * Writes an archive (ZIP, APPNOTE 6.3) piece by piece. It reads the next piece of a file only when the previous ones were taken. Throws if a
 * file or the archive becomes larger than 4 GiB, so that it never ends like a complete archive.
 */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array, void> {
  const written: WrittenEntry[] = [];
  let offset = 0;
  for await (const { path, bytes } of entries) {
    const name = Buffer.from(path, "latin1");
    const start = offset;
    const header = localHeader(name);
    yield header;
    let [crc, size, compressed] = [0, 0, 0];
    const counted = async function* (): AsyncGenerator<Uint8Array, void> {
      for await (const piece of bytes) {
        crc = crc32(piece, crc);
        size += piece.length;
        if (size > maxSize || offset + compressed > maxSize - margin)
          throw new Error("an archive is larger than 4 GiB");
        yield piece;
      }
    };
    const compressing = createDeflateRaw({ level: 6 });
    try {
      // A failure of either side ends the iteration with its error.
      pipeline(counted, compressing, () => undefined);
      for await (const piece of compressing as AsyncIterable<Uint8Array>) {
        compressed += piece.length;
        yield piece;
      }
    } finally {
      compressing.destroy();
    }
    const end = descriptor(crc, size, compressed);
    offset += header.length + compressed + end.length;
    yield end;
    written.push({ path: name, crc, size, compressed, offset: start });
  }
  const directory = written.map(directoryEntry);
  yield* directory;
  const length = directory.reduce((sum, entry) => sum + entry.length, 0);
  yield directoryEnd(written.length, length, offset);
}

function localHeader(path: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflate, 8);
  header.writeUInt16LE(date, 12);
  header.writeUInt16LE(path.length, 26);
  return Buffer.concat([header, path]);
}

function descriptor(crc: number, size: number, compressed: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(compressed, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
}

function directoryEntry({ path, crc, size, compressed, offset }: WrittenEntry): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(deflate, 10);
  header.writeUInt16LE(date, 14);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(compressed, 20);
  header.writeUInt32LE(size, 24);
  header.writeUInt16LE(path.length, 28);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, path]);
}

function directoryEnd(entries: number, length: number, offset: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06054b50, 0);
  bytes.writeUInt16LE(entries, 8);
  bytes.writeUInt16LE(entries, 10);
  bytes.writeUInt32LE(length, 12);
  bytes.writeUInt32LE(offset, 16);
  return bytes;
}
