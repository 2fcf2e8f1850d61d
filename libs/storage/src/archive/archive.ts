import { createHash } from "node:crypto";
import { open, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { basename, dirname, join } from "node:path";
import mongoose from "mongoose";
import type { CollectionDescription, Source } from "./source.ts";

const { EJSON } = mongoose.mongo.BSON;

/** The file that makes a folder an archive. It is written last. */
const manifestName = "manifest.json";
const format = "switchyard-archive";
const version = 1;

/** What an archive says of one of its collections. */
export interface ArchivedCollection extends CollectionDescription {
  /** The file: the documents one after the other in BSON, in the order of `_id`. */
  readonly file: string;
  readonly documents: number;
  readonly bytes: number;
  /** SHA-256 of the file in hexadecimal. */
  readonly sha256: string;
}

interface Manifest {
  readonly format: typeof format;
  readonly version: typeof version;
  /** When it was written, in ISO 8601. */
  readonly exportedAt: string;
  readonly collections: readonly ArchivedCollection[];
}

/** An archive that was opened. */
export interface Archive extends Source {
  readonly exportedAt: string;
  readonly collections: readonly ArchivedCollection[];
  /** Throws when a file is not as the manifest says: damaged, cut off or missing. */
  verify(): Promise<void>;
}

/**
 * Writes a source into a new folder: a file for each collection and the manifest. The folder appears whole or not at all: it is
 * written beside its place under another name, flushed to the disk and renamed. Throws when something is in its place already.
 */
export async function writeArchive(
  source: Source,
  folder: string,
  written: (collection: ArchivedCollection) => void,
): Promise<void> {
  if (await exists(folder)) throw new Error(`${folder} is there already: name another archive, or remove it`);
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const collections: ArchivedCollection[] = [];
  for (const collection of source.collections) {
    const file = `${encodeURIComponent(`${collection.database}.${collection.name}`)}.bson`;
    const archived = {
      ...collection,
      file,
      ...(await writeDocuments(join(partial, file), source.documents(collection))),
    };
    collections.push(archived);
    written(archived);
  }
  const manifest: Manifest = { format, version, exportedAt: new Date().toISOString(), collections };
  const text = Buffer.from(`${EJSON.stringify(manifest, undefined, 2, { relaxed: true })}\n`);
  await writeFlushed(join(partial, manifestName), text);
  await flushFolder(partial);
  await rename(partial, folder);
  await flushFolder(dirname(folder));
}

/** How much is written at once. */
const pieceBytes = 1024 * 1024;

/** What the manifest says of documents, taken down one after the other. */
function createTally() {
  const hash = createHash("sha256");
  let [documents, bytes] = [0, 0];
  return {
    add(document: Uint8Array): void {
      hash.update(document);
      documents += 1;
      bytes += document.length;
    },
    /** Only once. */
    total: () => ({ documents, bytes, sha256: hash.digest("hex") }),
  };
}

async function writeDocuments(path: string, documents: AsyncIterable<Uint8Array>) {
  const tally = createTally();
  async function* counted(): AsyncGenerator<Uint8Array> {
    let piece: Uint8Array[] = [];
    let left = pieceBytes;
    for await (const each of documents) {
      tally.add(each);
      piece.push(each);
      left -= each.length;
      if (left > 0) continue;
      yield Buffer.concat(piece);
      piece = [];
      left = pieceBytes;
    }
    yield Buffer.concat(piece);
  }
  await writeFlushed(path, counted());
  return tally.total();
}

async function writeFlushed(path: string, parts: AsyncIterable<Uint8Array> | Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await writeFile(file, parts);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  // Windows opens no folders, and needs no flush of them.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Opens an archive. Throws when the folder is none, is not whole, or was written by a later version. */
export async function openArchive(folder: string): Promise<Archive> {
  const { collections, exportedAt } = await readManifest(folder);
  const documents = (collection: CollectionDescription): AsyncIterable<Uint8Array> => {
    const found = collections.find(
      ({ database, name }) => database === collection.database && name === collection.name,
    );
    if (found === undefined) throw new Error(`${folder} has no ${collection.database}.${collection.name}`);
    return documentsIn(join(folder, found.file));
  };
  return {
    name: `the archive ${folder}`,
    exportedAt,
    collections,
    documents,
    async verify() {
      for (const collection of collections) await verifyFile(folder, collection, documents(collection));
    },
  };
}

async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), "utf8");
  } catch (error) {
    throw new Error(`${folder} is no archive: it has no readable ${manifestName}`, { cause: error });
  }
  let manifest: Partial<Omit<Manifest, "version">> & { version?: unknown };
  try {
    manifest = EJSON.parse(text, { relaxed: true }) as typeof manifest;
  } catch (error) {
    throw new Error(`${folder} is damaged: its ${manifestName} is no JSON`, { cause: error });
  }
  if (manifest.format !== format) throw new Error(`${folder} is no archive: its ${manifestName} is of something else`);
  if (manifest.version !== version) {
    throw new Error(
      `${folder} is an archive of version ${String(manifest.version)}, and this reads version ${version}`,
    );
  }
  const { collections } = manifest;
  const whole = Array.isArray(collections) && collections.every(isArchivedCollection);
  if (!whole) throw new Error(`${folder} is damaged: its ${manifestName} does not describe its collections`);
  return manifest as Manifest;
}

function isArchivedCollection(value: Partial<ArchivedCollection> | null): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { database, name, file, documents, bytes, sha256, options, indexes } = value;
  const texts = [database, name, file, sha256].every((each) => typeof each === "string" && each !== "");
  const numbers = [documents, bytes].every((each) => Number.isSafeInteger(each));
  // A file of the folder itself, whatever a manifest says that somebody else wrote.
  return texts && numbers && basename(file ?? "") === file && typeof options === "object" && Array.isArray(indexes);
}

async function verifyFile(
  folder: string,
  { file, documents, bytes, sha256 }: ArchivedCollection,
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  const tally = createTally();
  for await (const each of stream) tally.add(each);
  const found = tally.total();
  if (found.documents !== documents || found.bytes !== bytes || found.sha256 !== sha256) {
    throw new Error(
      `${join(folder, file)} is damaged: its ${found.documents} documents are not the ${documents} of the manifest`,
    );
  }
}

const minDocumentBytes = 5;
const maxDocumentBytes = 17 * 1024 * 1024;

/** The documents of a file, read piece by piece. */
async function* documentsIn(path: string): AsyncGenerator<Uint8Array> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: pieceBytes })) {
    pending = pending.length === 0 ? (chunk as Buffer) : Buffer.concat([pending, chunk as Buffer]);
    let at = 0;
    while (pending.length - at >= 4) {
      const length = pending.readInt32LE(at);
      if (length < minDocumentBytes || length > maxDocumentBytes) {
        throw new Error(`${path} is damaged: a document of ${length} bytes`);
      }
      if (pending.length - at < length) break;
      yield pending.subarray(at, at + length);
      at += length;
    }
    pending = pending.subarray(at);
  }
  if (pending.length > 0) throw new Error(`${path} is damaged: it ends within a document`);
}
