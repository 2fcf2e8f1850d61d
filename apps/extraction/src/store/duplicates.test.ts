import { WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { retryDuplicates, withDuplicates } from "./duplicates.ts";
import type { ProjectFileStore } from "./duplicates.ts";
import { createFileStore } from "./files.ts";
import type { FileRecord, FileStore } from "./files.ts";

let database: TestDatabase;
let storage: Storage;
let unchecked: FileStore;
let files: ProjectFileStore;

beforeAll(async () => {
  database = await startTestDatabase();
  storage = await connectStorage({ uri: database.uri, database: newId("test") });
  unchecked = createFileStore(storage.connection);
  files = withDuplicates(unchecked, storage.connection);
  await storage.ready();
});
afterAll(async () => {
  await storage?.close();
  await database?.close();
});

function createRecord(projectId: string | null, sha256: string): FileRecord {
  return {
    ...{ _id: newId("fil"), organizationId: "org_1", projectId, filename: "a.txt", contentType: "text/plain", size: 1 },
    ...{ declaredContentType: "", readingHint: "", sha256, reason: null, pageCount: 1, acceptedFor: [] },
    ...{ warnings: [{ code: WarningCode.PAGES_LEFT_OUT, message: "Only the first 200 pages were read." }] },
    ...{ createdAt: new Date(0), createdBy: "", expiresAt: projectId === null ? new Date(0) : null },
  };
}

/** Repeats work that conflicts with other work for too long, as callers do. On a busy machine, any may. */
async function repeat<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (getProblemFacts(error).reason !== "STORAGE_BUSY") throw error;
    }
  }
}

const insert = (records: readonly FileRecord[], store: FileStore = files) =>
  repeat(() => retryDuplicates(() => storage.atomically((session) => store.insert(records, session))));

async function move(ids: readonly string[], projectId: string): Promise<FileRecord[]> {
  const adopt = () => storage.atomically((session) => files.adopt(ids, projectId, session));
  const { arrived, others } = await repeat(() => retryDuplicates(adopt));
  return [...arrived, ...others];
}

/** Returns whether a stored file is a duplicate. Its other warnings must have been kept. */
async function isDuplicate(id: string): Promise<boolean> {
  const codes = (await files.find(id))?.warnings?.map(({ code }) => code) ?? [];
  expect(codes[0]).toBe(WarningCode.PAGES_LEFT_OUT);
  return codes[1] === WarningCode.DUPLICATE_FILE;
}

/** Stores files and returns which are duplicates. */
async function store(records: readonly FileRecord[]): Promise<boolean[]> {
  const inserted = await insert(records);
  const marks = await Promise.all(records.map(({ _id }) => isDuplicate(_id)));
  expect(inserted.map(({ warnings }) => warnings?.length === 2)).toEqual(marks);
  return marks;
}

describe("files with the same bytes", () => {
  it("are duplicates in one project, but not in several or without one", async () => {
    const [projectId, sha256] = [newId("prj"), newId("sha")];
    expect(await store([createRecord(projectId, sha256)])).toEqual([false]);
    expect(await store([createRecord(projectId, newId("sha")), createRecord(projectId, sha256)])).toEqual([
      false,
      true,
    ]);
    expect(await store([createRecord(newId("prj"), sha256), createRecord(null, sha256)])).toEqual([false, false]);
    expect(await store([createRecord(null, sha256)])).toEqual([false]);
  });

  it("are duplicates after the first one of a transaction", async () => {
    const [projectId, sha256, other] = [newId("prj"), newId("sha"), newId("sha")];
    const records = [sha256, other, sha256, sha256, other].map((each) => createRecord(projectId, each));
    expect(await store(records)).toEqual([false, false, true, true, true]);
    const more = [sha256, newId("sha"), other].map((each) => createRecord(projectId, each));
    expect(await store(more)).toEqual([true, false, true]);
  });

  it("stay duplicates when the earlier file is removed, and are not compared with it any more", async () => {
    const [projectId, sha256] = [newId("prj"), newId("sha")];
    const [first, second, third] = [1, 2, 3].map(() => createRecord(projectId, sha256)) as [
      FileRecord,
      FileRecord,
      FileRecord,
    ];
    await store([first, second]);
    const remove = ({ _id }: FileRecord) => storage.atomically((session) => files.remove(_id, session));
    await remove(first);
    expect(await isDuplicate(second._id)).toBe(true);
    expect(await store([third])).toEqual([true]);
    for (const each of [second, third]) await remove(each);
    expect(await store([createRecord(projectId, sha256)])).toEqual([false]);
  });

  it("are found among files of earlier versions", async () => {
    const [projectId, sha256] = [newId("prj"), newId("sha")];
    await insert([createRecord(projectId, sha256)], unchecked);
    expect(await store([createRecord(projectId, sha256)])).toEqual([true]);
  });

  it("get the warning when they are moved to the project", async () => {
    const [projectId, sha256] = [newId("prj"), newId("sha")];
    const [first, second] = [createRecord(null, sha256), createRecord(null, sha256)];
    await store([first, second]);
    expect(await move([second._id], projectId)).toMatchObject([{ warnings: { length: 1 } }]);
    expect(await move([first._id], projectId)).toMatchObject([{ warnings: { length: 2 } }]);
    expect([await isDuplicate(first._id), await isDuplicate(second._id)]).toEqual([true, false]);
  });

  it("get the warning when several are moved to the project in one transaction", async () => {
    const [projectId, sha256, other] = [newId("prj"), newId("sha"), newId("sha")];
    const moved = [sha256, sha256, other].map((each) => createRecord(null, each));
    const elsewhere = createRecord(newId("prj"), sha256);
    await store([...moved, elsewhere]);
    const ids = [...moved, elsewhere].map(({ _id }) => _id);
    const moveAll = async () => new Map((await move([...ids, "fil_none"], projectId)).map((file) => [file._id, file]));
    const byId = await moveAll();
    expect(ids.map((id) => byId.get(id)?.projectId)).toEqual([projectId, projectId, projectId, elsewhere.projectId]);
    expect(ids.map((id) => byId.get(id)?.warnings?.length)).toEqual([1, 2, 1, 1]);
    expect(await Promise.all(ids.map((id) => files.find(id)))).toMatchObject(ids.map((id) => byId.get(id)));
    expect(await moveAll()).toEqual(byId);
  });

  it("are moved as they were found before, and found anew if that is outdated", async () => {
    const [projectId, sha256] = [newId("prj"), newId("sha")];
    const [first, second] = [createRecord(null, sha256), createRecord(null, sha256)];
    await store([first, second]);
    const isKnown = await files.hasBytes(projectId, sha256);
    expect([first, second].map(({ _id }) => files.findRecent(_id))).toMatchObject([first, second]);
    expect(await files.adoptFound({ file: first, isDuplicate: isKnown }, projectId)).toMatchObject({
      projectId,
      isFirst: true,
    });
    let attempts = 0;
    const adopt = async (): Promise<FileRecord> => {
      attempts += 1;
      const isDuplicate = attempts === 1 ? isKnown : await files.hasBytes(projectId, sha256);
      return files.adoptFound({ file: second, isDuplicate }, projectId);
    };
    expect(await retryDuplicates(adopt)).toMatchObject({ projectId, warnings: { length: 2 } });
    expect([isKnown, attempts, await isDuplicate(first._id), await isDuplicate(second._id)]).toEqual([
      false,
      2,
      false,
      true,
    ]);
    expect([first, second].map(({ _id }) => files.findRecent(_id))).toEqual([undefined, undefined]);
    // A file that was moved meanwhile stays where it is.
    const moved = files.adoptFound({ file: first, isDuplicate: false }, newId("prj"));
    await expect(moved).rejects.toThrow("was moved or removed");
    expect((await files.find(first._id))?.projectId).toBe(projectId);
  });

  it("are all duplicates but one when they come at the same time", async () => {
    const [projectId, sha256] = [newId("prj"), newId("sha")];
    const [stored, moved, movedTogether] = [1, 2, 3].map(() =>
      Array.from({ length: 8 }, () => createRecord(null, sha256)),
    ) as [FileRecord[], FileRecord[], FileRecord[]];
    await insert([...moved, ...movedTogether]);
    await Promise.all([
      ...stored.map((record) => insert([{ ...record, projectId }])),
      ...moved.map(({ _id }) => move([_id], projectId)),
      move(
        movedTogether.map(({ _id }) => _id),
        projectId,
      ),
    ]);
    const marks = await Promise.all([...stored, ...moved, ...movedTogether].map(({ _id }) => isDuplicate(_id)));
    expect(marks.filter((each) => !each)).toHaveLength(1);
    expect(marks).toHaveLength(24);
  });
});
