import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { sentCommands } from "@switchyard/storage/sent-commands";
import type { SentCommand } from "@switchyard/storage/sent-commands";
import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { channel } from "node:diagnostics_channel";
import { createAcceptedStore } from "./accepted.ts";
import type { AcceptedStore } from "./accepted.ts";
import { createFileStore } from "./files.ts";
import type { FileRecord, FileStore } from "./files.ts";

const models = ["mdl_a", "mdl_b", "mdl_c", "mdl_d"];
let database: TestDatabase;
let storage: Storage;
let files: FileStore;
let accepted: AcceptedStore;

beforeAll(async () => {
  database = await startTestDatabase();
  storage = await connectStorage({ uri: database.uri, database: newId("test") });
  // This index is from before files had sets.
  await storage.connection
    .collection("files")
    .createIndex(
      { projectId: 1, position: -1, sha256: 1 },
      { name: "others", partialFilterExpression: { acceptedFor: [] } },
    );
  files = createFileStore(storage.connection, { maxSets: 16, maxExamined: 10 });
  accepted = createAcceptedStore(storage.connection);
  await storage.ready();
});
afterAll(async () => {
  await storage?.close();
  await database?.close();
});

/** Stores files of a new project, each accepted for the models that `acceptedFor` returns. Returns the records, newest first. */
async function store(count: number, acceptedFor: (place: number) => string[]): Promise<FileRecord[]> {
  const projectId = newId("prj");
  const records = Array.from({ length: count }, (_, place) => ({
    ...{ _id: newId("fil"), organizationId: "org_1", projectId, filename: `${place}.txt`, contentType: "text/plain" },
    ...{ declaredContentType: "", readingHint: "", size: 1, sha256: "0", reason: null, pageCount: 1 },
    ...{ acceptedFor: acceptedFor(place), createdAt: new Date(place), createdBy: "", expiresAt: null },
  }));
  await storage.atomically(async (session) => {
    for (const record of records) await files.insert([record], session);
  });
  return records.reverse();
}

/** Returns the sizes of the lists of values in the queries that are sent while `work` runs, the smallest first. */
async function countWanted(collection: string, field: string, work: () => Promise<unknown>): Promise<number[]> {
  const asked: number[] = [];
  const note = (message: unknown): void => {
    const { command } = message as SentCommand;
    if (command["find"] !== collection) return;
    asked.push((command["filter"] as Record<string, { $in: string[] }>)[field]?.$in.length ?? 0);
  };
  channel(sentCommands).subscribe(note);
  await work().finally(() => channel(sentCommands).unsubscribe(note));
  return asked.sort((left, right) => left - right);
}

const getName = ({ filename }: FileRecord): string => filename;

/** Reads all pages of every list of the files, and compares them with the expected files. */
async function expectLists(records: readonly FileRecord[]): Promise<void> {
  const projectId = records[0]?.projectId ?? "";
  for (const modelId of [undefined, ...models]) {
    for (const accepted of [true, false]) {
      const listed: FileRecord[] = [];
      for (let before: string | undefined, more = true; more;) {
        const page = await files.list({ projectId, organizationId: "org_1", accepted, modelId, limit: 7, before });
        expect(page.records.length).toBeLessThanOrEqual(7);
        listed.push(...page.records);
        before = page.next;
        more = before !== undefined;
      }
      const expected = records.filter(({ acceptedFor }) =>
        modelId === undefined ? acceptedFor.length > 0 === accepted : acceptedFor.includes(modelId) === accepted,
      );
      expect({ modelId, accepted, names: listed.map(getName) }).toEqual({
        ...{ modelId, accepted, names: expected.map(getName) },
      });
    }
  }
}

const several = (place: number): string[] => models.filter((_, at) => ((place * 7 + 3) >> at) % 2 === 1);

describe(`lists of files by the models they are accepted for, on the ${testDatabaseName}`, () => {
  it("are complete if files are accepted for several models", async () => {
    await expectLists(await store(30, several));
  });

  it("are updated when files are marked", async () => {
    const records = await store(20, several);
    for (const [place, record] of records.entries()) {
      const modelId = models[place % models.length] ?? "";
      const isAccepted = place % 3 > 0;
      const marked = await storage.atomically((session) =>
        files.mark({ id: record._id, projectId: record.projectId ?? "" }, modelId, isAccepted, session),
      );
      expect(marked).toBe(true);
      const others = record.acceptedFor.filter((each) => each !== modelId);
      record.acceptedFor = isAccepted ? [...others, modelId] : others;
    }
    await expectLists(records);
    const foreign = { id: records[0]?._id ?? "", projectId: "prj_other" };
    expect(await storage.atomically((session) => files.mark(foreign, "mdl_a", true, session))).toBe(false);
  });

  it("are complete if there are more sets of models than are read separately", async () => {
    await expectLists(await store(30, (place) => [...several(place), `mdl_${place}`]));
  });

  it.each([1, 2])("are complete if every %s. file was stored before files had sets", async (each) => {
    const records = await store(30, several);
    const old = records.filter((_, place) => place % each === 0).map(({ _id }) => _id as never);
    await storage.connection.collection("files").updateMany({ _id: { $in: old } }, { $unset: { acceptedSet: 1 } });
    await expectLists(records);
  });
});

describe("many files of a project", () => {
  it("are found in parts that an index can find, and none of another project", async () => {
    const records = await store(401, () => []);
    const [other] = await store(1, () => []);
    const ids = [...records, other!].map(({ _id }) => _id);
    const projectId = records[0]!.projectId!;
    let found: FileRecord[] = [];
    const asked = await countWanted("files", "_id", async () => (found = await files.listOfProject(projectId, ids)));
    expect(asked).toEqual([2, 200, 200]);
    expect(found.map(({ _id }) => _id).sort()).toEqual(ids.slice(0, -1).sort());
  });

  it("are listed with their accepted values, by file id and in parts", async () => {
    const model = { projectId: "prj_accepted", modelId: "mdl_a" };
    const ids = Array.from({ length: 401 }, (_, place) => `fil_${String(place).padStart(3, "0")}`);
    await storage.connection
      .collection<{ _id: string }>("accepted")
      .insertMany(ids.map((fileId) => ({ _id: `${fileId} mdl_a`, ...model, fileId, revision: "0" })));
    const fileIds = ["fil_unknown", ...ids.toReversed()];
    const listed: string[][] = [];
    const asked = await countWanted("accepted", "fileId", async () => {
      for (const limit of [10_000, 250])
        listed.push((await accepted.list({ ...model, fileIds, limit })).map(({ fileId }) => fileId));
    });
    expect(listed).toEqual([ids, ids.slice(0, 250)]);
    expect(asked).toEqual([2, 2, 200, 200, 200, 200]);
    expect(await accepted.list({ ...model, fileIds: [], limit: 3 })).toHaveLength(3);
  });
});
