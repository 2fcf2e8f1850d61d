import { toBuffer, toBytes } from "@switchyard/storage";
import { createHash } from "node:crypto";
import type { Model } from "mongoose";
import type { BlobDocument } from "./blob-document.ts";
import { chunkBytes, getPieces, joinChunks, MissingChunk } from "./chunks.ts";
import type { ChunkStore } from "./chunks.ts";
import type { Transaction } from "../transaction.ts";

/** Received bytes to which no file refers yet. */
export interface IncomingBytes {
  readonly sha256: string;
  readonly size: number;
  /** The key of the chunks that are already stored. */
  readonly chunkKey: string;
  readonly storedChunks: number;
  /** The bytes after these chunks. */
  readonly rest: Uint8Array;
  /** The beginning of the bytes, at most 1 KiB. */
  readonly beginning: Uint8Array;
}

/** Receives bytes piece by piece. */
export interface BlobWriter {
  /** Receives the next piece, which must not be modified afterwards. Resolves when another piece can follow. */
  write(piece: Uint8Array): Promise<void>;
  /** Returns everything that was written. */
  end(): IncomingBytes;
}

/** Thrown if stored bytes are damaged: their hash differs, or a part is missing. */
export class DamagedBytes extends Error {
  readonly sha256: string;
  constructor(sha256: string, what: string, cause?: unknown) {
    super(`The bytes of ${sha256} ${what}`, { cause });
    this.sha256 = sha256;
  }
}

/**
 * Stores the bytes of files, once for each content, by their SHA-256. Bytes are immutable, and only files refer to them. A transaction that
 * refers to bytes only reads that they exist; `createBlobRemoval` removes them without missing such a transaction.
 */
export interface BlobStore {
  /** Starts to receive bytes. Complete chunks are stored as they arrive, so at most one chunk and one piece are in memory. */
  writer(): BlobWriter;
  /** Receives bytes that are in memory. Large ones are stored in advance, unless they exist. */
  take(bytes: Uint8Array): Promise<IncomingBytes>;
  /** Returns received bytes in one buffer that the caller may transfer. */
  readBytes(incoming: IncomingBytes): Promise<Uint8Array<ArrayBuffer>>;
  /** Stores contents, unless they exist, within the transaction that refers to them. */
  keep(contents: readonly IncomingBytes[], session: Transaction): Promise<void>;
  /** Removes what was stored in advance, within a transaction, unless `keep` has used it. */
  discard(incoming: IncomingBytes, session: Transaction): Promise<void>;
  /** Returns whether the bytes exist, within the transaction that refers to them. They are then kept as long as a file refers to them. */
  ensureStored(sha256: string, session: Transaction): Promise<boolean>;
  /** Returns the bytes in pieces of at most 1 MiB. Throws DamagedBytes before the first piece if they are damaged. */
  read(sha256: string): AsyncIterable<Uint8Array>;
}

/** The dependencies of the store. */
export interface BlobStoreDependencies {
  blobs: Model<BlobDocument>;
  chunks: ChunkStore;
  /** Returns a unique key. */
  newKey: () => string;
  now: () => number;
  /** The time after which an unfinished upload counts as abandoned, in milliseconds. It is longer than any request. */
  graceMs: number;
}

/** Contents of at most this size are stored in one document, because a chunk would take another write and another read. */
const maxInlineBytes = 16 * 1024;

/** Whether received bytes take little space and no work in advance, so that many can be stored in one transaction. */
export function areShort({ size }: IncomingBytes): boolean {
  return size <= maxInlineBytes;
}

/** Creates the store of bytes. */
export function createBlobStore({ blobs, chunks, newKey, now, graceMs }: BlobStoreDependencies): BlobStore {
  /** Stores a chunk in advance. Before the first one, a document records that the chunks exist, so that they can be found. */
  async function storeInAdvance(chunkKey: string, n: number, data: Uint8Array): Promise<void> {
    if (n === 0) {
      const reviewAt = new Date(now() + graceMs);
      await blobs.create([{ _id: chunkKey, size: 0, chunkCount: 0, complete: false, idle: true, reviewAt }]);
    }
    await chunks.put(chunkKey, n, chunkKey, data);
  }

  function writer(): BlobWriter {
    const chunkKey = newKey();
    const hash = createHash("sha256");
    let [size, storedChunks, waiting]: [number, number, Uint8Array[]] = [0, 0, []];
    let beginning = new Uint8Array();
    const waitingBytes = () => waiting.reduce((sum, { length }) => sum + length, 0);
    return {
      async write(piece) {
        hash.update(piece);
        size += piece.length;
        if (beginning.length < beginningBytes) beginning = getBeginning(Buffer.concat([beginning, piece]));
        waiting.push(piece);
        if (waitingBytes() <= chunkBytes) return;
        const pieces = getPieces(Buffer.concat(waiting));
        waiting = [new Uint8Array(pieces.pop() ?? [])];
        for (const data of pieces) await storeInAdvance(chunkKey, storedChunks++, data);
      },
      end() {
        const rest = Buffer.concat(waiting);
        return { sha256: hash.copy().digest("hex"), size, chunkKey, storedChunks, rest, beginning };
      },
    };
  }

  /** Finds the bytes with a hash. A transaction that refers to bytes marked for removal must clear the mark. */
  async function find(sha256: string, session: Transaction): Promise<"stored" | "incomplete" | "absent"> {
    const blob = await blobs.findById(sha256, { complete: 1, markedForRemovalAt: 1 }, { session }).lean();
    if (blob?.complete !== true) return blob === null ? "absent" : "incomplete";
    if (blob.markedForRemovalAt != null) {
      const unmarked = { markedForRemovalAt: null, reviewAt: new Date(now() + graceMs) };
      await blobs.updateOne({ _id: sha256 }, { $set: unmarked }, { session });
    }
    return "stored";
  }

  /** Inserts the documents of contents that have none, and returns the hashes of these. */
  async function insertMissing(contents: readonly IncomingBytes[], session: Transaction): Promise<Set<string>> {
    const upserts = contents.map((content) => {
      const { sha256, size, chunkKey, storedChunks, rest } = content;
      const where = areShort(content)
        ? { bytes: toBuffer(rest), chunkCount: 0 }
        : { chunkKey, chunkCount: storedChunks + getPieces(rest).length };
      const document = { size, ...where, complete: true, idle: false, releases: 0, markedForRemovalAt: null };
      return { updateOne: { filter: { _id: sha256 }, update: { $setOnInsert: document }, upsert: true } };
    });
    const { upsertedIds } = await blobs.bulkWrite(upserts, { session });
    return new Set(Object.values(upsertedIds).map(String));
  }

  async function putChunks(content: IncomingBytes, session: Transaction): Promise<void> {
    const { sha256, chunkKey, storedChunks, rest } = content;
    if (storedChunks > 0) await blobs.deleteOne({ _id: chunkKey }, { session });
    for (const [n, data] of getPieces(rest).entries())
      await chunks.put(chunkKey, storedChunks + n, sha256, data, session);
  }

  return {
    writer,
    ensureStored: async (sha256, session) => (await find(sha256, session)) === "stored",

    async take(bytes) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const beginning = getBeginning(bytes);
      const incoming = { sha256, size: bytes.length, chunkKey: newKey(), storedChunks: 0, rest: bytes, beginning };
      if (bytes.length <= chunkBytes || (await blobs.exists({ _id: sha256, complete: true })) !== null) return incoming;
      const pieces = getPieces(bytes);
      const rest = pieces.pop() ?? new Uint8Array();
      for (const [n, data] of pieces.entries()) await storeInAdvance(incoming.chunkKey, n, data);
      return { ...incoming, storedChunks: pieces.length, rest };
    },

    readBytes({ size, chunkKey, storedChunks, rest }) {
      return joinChunks(append(chunks.read(chunkKey, storedChunks), rest), size);
    },

    async keep(contents, session) {
      const distinct = [...new Map(contents.map((content) => [content.sha256, content])).values()];
      const inserted = await insertMissing(distinct, session);
      for (const content of distinct) {
        const { sha256 } = content;
        if (!inserted.has(sha256)) {
          if ((await find(sha256, session)) === "stored") continue;
          // An earlier version used the hash as the key of an upload.
          await blobs.deleteOne({ _id: sha256 }, { session });
          await insertMissing([content], session);
        }
        if (!areShort(content)) await putChunks(content, session);
      }
    },

    async discard({ chunkKey, storedChunks }, session) {
      if (storedChunks === 0) return;
      const { deletedCount } = await blobs.deleteOne({ _id: chunkKey, complete: false }, { session });
      if (deletedCount > 0) await chunks.removeAll(chunkKey, session);
    },

    async *read(sha256) {
      const blob = await blobs.findOne({ _id: sha256, complete: true }).lean();
      if (blob === null) throw new DamagedBytes(sha256, "are missing");
      const checked = () => wholeOnly(sha256, chunks.read(blob.chunkKey ?? sha256, blob.chunkCount));
      if (blob.bytes !== undefined) {
        yield* wholeOnly(sha256, [toBytes(blob.bytes)]);
        return;
      }
      // All bytes are checked before any are returned. If there is more than one chunk, they are read twice, to save memory.
      if (blob.chunkCount > 1) for await (const _ of checked());
      yield* checked();
    },
  };
}

async function* append(pieces: AsyncIterable<Uint8Array>, last: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* pieces;
  yield last;
}

/** Yields pieces, but the last one only if all of them together have the hash. */
async function* wholeOnly(
  sha256: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let last: Uint8Array | undefined;
  try {
    for await (const piece of pieces) {
      hash.update(piece);
      if (last !== undefined) yield last;
      last = piece;
    }
  } catch (error) {
    throw error instanceof MissingChunk ? new DamagedBytes(sha256, "are incomplete", error) : error;
  }
  if (hash.digest("hex") !== sha256) throw new DamagedBytes(sha256, "were changed");
  if (last !== undefined) yield last;
}

const beginningBytes = 1024;

function getBeginning(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.subarray(0, beginningBytes));
}
