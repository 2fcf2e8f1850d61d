import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { AsyncLocalStorage } from "node:async_hooks";
import { blobModel } from "./blob-document.ts";
import { createBlobRemoval } from "./blob-removal.ts";
import type { BlobRemoval, RemovalCandidate } from "./blob-removal.ts";
import { createBlobStore } from "./blobs.ts";
import type { BlobStore, IncomingBytes } from "./blobs.ts";
import { createChunkStore } from "./chunks.ts";

const settleMs = 120_000;
/** Runs a function outside of the current transaction. */
const apart = AsyncLocalStorage.snapshot();
let database: TestDatabase;
let storage: Storage;
let blobs: BlobStore;
let removal: BlobRemoval;
let time = Date.now();

beforeAll(async () => {
  database = await startTestDatabase();
  storage = await connectStorage({ uri: database.uri, database: newId("test") });
  const documents = blobModel(storage.connection);
  const chunks = createChunkStore(storage.connection);
  const now = () => time;
  blobs = createBlobStore({ blobs: documents, chunks, newKey: () => newId("blb"), now, graceMs: 3_600_000 });
  removal = createBlobRemoval({ blobs: documents, chunks, now, settleMs });
  await storage.ready();
});
afterAll(async () => {
  await storage?.close();
  await database?.close();
});

const keep = (content: IncomingBytes) => storage.atomically((session) => blobs.keep([content], session));
const hold = (sha256: string) => storage.atomically((session) => blobs.ensureStored(sha256, session));
const remove = (blob: RemovalCandidate) => storage.atomically((session) => removal.remove(blob, session));

/** Stores content without a file, and returns it with a function that finds it as a candidate for removal. */
async function released(text: string): Promise<{ content: IncomingBytes; look: () => Promise<RemovalCandidate> }> {
  const content = await blobs.take(Buffer.from(text));
  await keep(content);
  await storage.atomically((session) => removal.release(content.sha256, false, session));
  async function look(): Promise<RemovalCandidate> {
    const found = (await removal.findCandidates(100)).find(({ sha256 }) => sha256 === content.sha256);
    if (found === undefined) throw new Error("not a candidate for removal");
    return found;
  }
  return { content, look };
}

describe("bytes that no file refers to", () => {
  it("are removed some time after they were marked, and can be stored again", async () => {
    const { content, look } = await released("one");
    await removal.markForRemoval(await look());
    await expect(look()).rejects.toThrow("not a candidate for removal");
    time += settleMs;
    expect(await look()).toMatchObject({ isMarked: true });
    expect(await remove(await look())).toBe(true);
    expect(await hold(content.sha256)).toBe(false);
    await keep(content);
    expect(await hold(content.sha256)).toBe(true);
  });

  it("are kept if a file refers to them after they were marked", async () => {
    const { content, look } = await released("two");
    await removal.markForRemoval(await look());
    time += settleMs;
    const seen = await look();
    expect(await hold(content.sha256)).toBe(true);
    expect(await remove(seen)).toBe(false);
  });

  it("are kept if a file refers to them during the removal", async () => {
    const { content, look } = await released("three");
    await removal.markForRemoval(await look());
    time += settleMs;
    const seen = await look();
    let removed: Promise<boolean> | undefined;
    await storage.atomically(async (session) => {
      await blobs.ensureStored(content.sha256, session);
      removed ??= apart(() => remove(seen));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    expect(await removed).toBe(false);
    expect(await hold(content.sha256)).toBe(true);
  });
});
