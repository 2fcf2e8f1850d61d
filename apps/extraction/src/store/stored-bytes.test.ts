import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { createFileStore } from "./files.ts";
import type { FileRecord, FileStore } from "./files.ts";
import { createStoredBytes, withStoredBytes } from "./stored-bytes.ts";

const gibibyte = 1024 ** 3;
let database: TestDatabase;
let storage: Storage;
let uncounted: FileStore;
let files: FileStore;
let now = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  storage = await connectStorage({ uri: database.uri, database: newId("test") });
  uncounted = createFileStore(storage.connection);
  files = withStoredBytes(
    uncounted,
    createStoredBytes(storage.connection, () => now),
  );
  await storage.ready();
});
afterAll(async () => {
  await storage?.close();
  await database?.close();
});

function createRecord(organizationId: string, size: number, projectId: string | null = "prj_1"): FileRecord {
  return {
    ...{ _id: newId("fil"), organizationId, projectId, filename: "a.txt", contentType: "text/plain", size },
    ...{ declaredContentType: "", readingHint: "", sha256: newId("sha"), reason: null, pageCount: 1 },
    ...{ acceptedFor: [], createdAt: new Date(0), createdBy: "", expiresAt: projectId === null ? new Date(0) : null },
  };
}

const insert = (record: FileRecord, quota?: number, store = files) =>
  storage.atomically((session) => store.insert([record], session, quota));

/** Returns the counted bytes of an organization, and the number of parts that have them. */
async function getCounted(organizationId: string): Promise<{ bytes: number; parts: number }> {
  const stored = storage.connection.collection<{ _id: string; bytes: number }>("stored_bytes");
  const parts = (await stored.find({}).toArray()).filter(({ _id }) => _id.startsWith(`${organizationId} `));
  return { bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), parts: parts.length };
}

describe("the bytes of an organization's files", () => {
  it("are counted with those that it had before, concurrently in several parts", async () => {
    const organizationId = newId("org");
    for (const size of [5, 7]) await insert(createRecord(organizationId, size), undefined, uncounted);
    await insert(createRecord(newId("org"), 1_000), undefined, uncounted);
    await insert(createRecord(organizationId, 30), 100 * gibibyte);
    expect(await getCounted(organizationId)).toEqual({ bytes: 42, parts: 1 });
    await Promise.all(Array.from({ length: 30 }, () => insert(createRecord(organizationId, 10), 100 * gibibyte)));
    const counted = await getCounted(organizationId);
    expect(counted.bytes).toBe(342);
    expect(counted.parts).toBeGreaterThan(10);
  });

  it("are given back by every way to remove a file", async () => {
    const [organizationId, projectId] = [newId("org"), newId("prj")];
    const [deleted, expired] = [createRecord(organizationId, 10), createRecord(organizationId, 20, null)];
    for (const record of [deleted, expired, createRecord(organizationId, 3, projectId)]) await insert(record);
    await insert(createRecord(organizationId, 4, projectId));
    expect((await getCounted(organizationId)).bytes).toBe(37);
    await storage.atomically((session) => files.remove(deleted._id, session));
    await storage.atomically((session) => files.remove(deleted._id, session));
    expect((await getCounted(organizationId)).bytes).toBe(27);
    await storage.atomically((session) => files.removeExpired(expired._id, new Date(1), session));
    expect((await getCounted(organizationId)).bytes).toBe(7);
    await storage.atomically((session) => files.removeSome(projectId, 10, session));
    expect((await getCounted(organizationId)).bytes).toBe(0);
  });

  it("reach the quota exactly, even from far below and by concurrent files", async () => {
    const organizationId = newId("org");
    const [quota, size] = [3 * gibibyte, gibibyte / 32];
    // Files of a gibibyte and a little more have room, so the first are added without reading the sum.
    await insert(createRecord(organizationId, 2 * gibibyte - 3 * size), quota);
    let stored = 0;
    for (let round = 0; round < 4; round += 1) {
      now += 1_000;
      const added = Array.from({ length: 10 }, () => insert(createRecord(organizationId, size), quota));
      stored += (await Promise.allSettled(added)).filter(({ status }) => status === "fulfilled").length;
    }
    expect(stored).toBe(35);
    expect((await getCounted(organizationId)).bytes).toBe(quota);
    await expect(insert(createRecord(organizationId, 1), quota)).rejects.toThrow(
      "The organization may have at most 3221225472 stored bytes of files, and has 3221225472.",
    );
    // A copy of a file is counted, but not refused.
    await insert(createRecord(organizationId, 1));
    expect((await getCounted(organizationId)).bytes).toBe(quota + 1);
  });
});
