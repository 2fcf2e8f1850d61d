import { createHash } from "node:crypto";
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createFolder } from "@switchyard/environment";
import mongoose from "mongoose";
import type { CollectionDescription, Source } from "./source.ts";

const { EJSON } = mongoose.mongo.BSON;

/** The file that identifies a folder as an archive. It is written last. */
const manifestName = "manifest.json";
const format = "switchyard-archive";
const version = 1;

/** The entry of a collection in the manifest of an archive. */
export interface ArchivedCollection extends CollectionDescription {
  /** The name of the file with the documents: concatenated BSON, in the order of `_id`. */
  readonly file: string;
  readonly documents: number;
  readonly bytes: number;
  /** The SHA-256 of the file in hexadecimal. */
  readonly sha256: string;
}

interface Manifest {
  readonly format: typeof format;
  readonly version: typeof version;
  /** The time of the export in ISO 8601. */
  readonly exportedAt: string;
  readonly collections: readonly ArchivedCollection[];
}

/** An opened archive. */
export interface Archive extends Source {
  readonly exportedAt: string;
  readonly collections: readonly ArchivedCollection[];
  /** Throws if a file is missing or does not match the manifest. */
  verify(): Promise<void>;
}

/**
 * Exports a source to a new folder with one file for each collection and a manifest. The folder appears atomically: it is written
 * under a temporary name, flushed to disk and renamed. Throws if the folder exists, and leaves nothing behind if it fails.
 */
export async function writeArchive(
  source: Source,
  folder: string,
  onWritten: (collection: ArchivedCollection) => void,
): Promise<void> {
  if (await exists(folder)) throw new Error(`${folder} already exists; choose another folder, or remove it`);
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await createFolder(partial);
  try {
    await writeFiles(source, partial, onWritten);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  await flushFolder(dirname(folder));
}

async function writeFiles(
  source: Source,
  partial: string,
  onWritten: (collection: ArchivedCollection) => void,
): Promise<void> {
  const collections: ArchivedCollection[] = [];
  for (const collection of source.collections) {
    const file = `${encodeURIComponent(`${collection.database}.${collection.name}`)}.bson`;
    const archived = {
      ...collection,
      file,
      ...(await writeDocuments(join(partial, file), source.documents(collection))),
    };
    collections.push(archived);
    onWritten(archived);
  }
  const manifest: Manifest = { format, version, exportedAt: new Date().toISOString(), collections };
  const text = Buffer.from(`${EJSON.stringify(manifest, undefined, 2, { relaxed: true })}\n`);
  await writeFlushed(join(partial, manifestName), text);
  await flushFolder(partial);
}

/** The size of the chunks in which files are read and written. */
const chunkBytes = 1024 * 1024;

/** Counts and hashes documents for the manifest. */
function createTally() {
  const hash = createHash("sha256");
  let [documents, bytes] = [0, 0];
  return {
    add(document: Uint8Array): void {
      hash.update(document);
      documents += 1;
      bytes += document.length;
    },
    /** Returns the result. Call it only once. */
    total: () => ({ documents, bytes, sha256: hash.digest("hex") }),
  };
}

async function writeDocuments(path: string, documents: AsyncIterable<Uint8Array>) {
  const tally = createTally();
  async function* counted(): AsyncGenerator<Uint8Array> {
    let chunk: Uint8Array[] = [];
    let remaining = chunkBytes;
    for await (const each of documents) {
      tally.add(each);
      chunk.push(each);
      remaining -= each.length;
      if (remaining > 0) continue;
      yield Buffer.concat(chunk);
      chunk = [];
      remaining = chunkBytes;
    }
    yield Buffer.concat(chunk);
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
  // Windows cannot open folders, and does not need to flush them.
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

/** Opens an archive. Throws if the folder is not an archive, is incomplete, or was written by a later version. */
export async function openArchive(folder: string): Promise<Archive> {
  const { collections, exportedAt } = await readManifest(folder);
  const documents = (collection: CollectionDescription): AsyncIterable<Uint8Array> => {
    const found = collections.find(
      ({ database, name }) => database === collection.database && name === collection.name,
    );
    if (found === undefined) throw new Error(`${folder} has no ${collection.database}.${collection.name}`);
    return readDocumentFile(join(folder, found.file));
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
    throw new Error(`${folder} is not an archive: it has no readable ${manifestName}`, { cause: error });
  }
  let manifest: Partial<Omit<Manifest, "version">> & { version?: unknown };
  try {
    manifest = EJSON.parse(text, { relaxed: true }) as typeof manifest;
  } catch (error) {
    throw new Error(`${folder} is damaged: its ${manifestName} is not JSON`, { cause: error });
  }
  if (manifest.format !== format)
    throw new Error(`${folder} is not an archive: its ${manifestName} has another format`);
  if (manifest.version !== version) {
    throw new Error(
      `${folder} is an archive of version ${String(manifest.version)}, but only version ${version} is supported`,
    );
  }
  const { collections } = manifest;
  const isComplete = Array.isArray(collections) && collections.every(isArchivedCollection);
  if (!isComplete) throw new Error(`${folder} is damaged: its ${manifestName} does not describe its collections`);
  return manifest as Manifest;
}

function isArchivedCollection(value: Partial<ArchivedCollection> | null): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { database, name, file, documents, bytes, sha256, options, indexes } = value;
  const texts = [database, name, file, sha256].every((each) => typeof each === "string" && each !== "");
  const numbers = [documents, bytes].every((each) => Number.isSafeInteger(each));
  // Only a file in the folder itself: a forged manifest must not name other paths.
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
      `${join(folder, file)} is damaged: its ${found.documents} documents do not match the ${documents} of the manifest`,
    );
  }
}

const minDocumentBytes = 5;
const maxDocumentBytes = 17 * 1024 * 1024;

/** Streams the documents of a file. */
async function* readDocumentFile(path: string): AsyncGenerator<Uint8Array> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    pending = pending.length === 0 ? (chunk as Buffer) : Buffer.concat([pending, chunk as Buffer]);
    let at = 0;
    while (pending.length - at >= 4) {
      const length = pending.readInt32LE(at);
      if (length < minDocumentBytes || length > maxDocumentBytes) {
        throw new Error(`${path} is damaged: it has a document of ${length} bytes`);
      }
      if (pending.length - at < length) break;
      yield pending.subarray(at, at + length);
      at += length;
    }
    pending = pending.subarray(at);
  }
  if (pending.length > 0) throw new Error(`${path} is damaged: it ends within a document`);
}
