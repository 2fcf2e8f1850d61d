import { connectStorage, createDocumentCache, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { createReviewThresholdStore } from "./review-thresholds.ts";
import type { ReviewThresholdStore } from "./review-thresholds.ts";

let database: TestDatabase;
let storage: Storage;
let thresholds: ReviewThresholdStore;
let reads = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  storage = await connectStorage({ uri: database.uri, database: newId("test") });
  const cache = createDocumentCache();
  thresholds = createReviewThresholdStore(storage.connection, {
    ...cache,
    find: (collection, ids, load) =>
      cache.find(collection, ids, (missing) => {
        reads += 1;
        return load(missing);
      }),
  });
  await storage.ready();
});
afterAll(async () => {
  await storage?.close();
  await database?.close();
});

const set = (modelId: string, text: number | null) =>
  storage.atomically((session) => thresholds.set({ projectId: "prj_1", modelId }, { text, ocr: null }, session));

describe("the thresholds of a model", () => {
  it("are read once until they change, and are up to date as soon as a change has been made", async () => {
    expect(await thresholds.find("mdl_1")).toBeNull();
    for (const text of [0.5, 0.9, null]) {
      expect(await set("mdl_1", text)).toBe(true);
      reads = 0;
      for (let times = 0; times < 3; times += 1) expect(await thresholds.find("mdl_1")).toMatchObject({ text });
      expect(reads).toBe(1);
    }
    expect(await set("mdl_1", null)).toBe(false);
  });

  it("stay as they were if the transaction of a change fails", async () => {
    await set("mdl_2", 0.5);
    const failing = storage.atomically(async (session) => {
      await thresholds.set({ projectId: "prj_1", modelId: "mdl_2" }, { text: 0.7, ocr: null }, session);
      throw new Error("not now");
    });
    await expect(failing).rejects.toThrow("not now");
    expect(await thresholds.find("mdl_2")).toMatchObject({ text: 0.5 });
  });

  it("are gone with their project", async () => {
    await set("mdl_3", 0.5);
    expect(await thresholds.find("mdl_3")).toMatchObject({ text: 0.5 });
    await thresholds.removeProject("prj_1");
    expect(await thresholds.find("mdl_3")).toBeNull();
  });
});
