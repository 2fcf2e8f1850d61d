import { create } from "@bufbuild/protobuf";
import { AcceptedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { ExtractedTableSchema, ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { sentCommands } from "@switchyard/storage/sent-commands";
import type { SentCommand } from "@switchyard/storage/sent-commands";
import { channel } from "node:diagnostics_channel";
import type { ExtractionRecord } from "../../store/extractions.ts";
import type { FileRecord } from "../../store/files.ts";
import { encodeTables } from "../../store/tables.ts";
import { createStores } from "../../stores.ts";
import { useSurroundings } from "../../testing/system.ts";
import { defaultSettings } from "../settings.ts";
import { createCompletion } from "./completion.ts";
import type { Complete } from "./completion.ts";
import { createDeriveValues } from "./derivation.ts";

const surroundings = useSurroundings();
const lease = { owner: "run_1", since: new Date(0), until: new Date(9e12), fence: 1 };
const outcome = { tables: encodeTables([create(ExtractedTableSchema, { slug: "invoice" })]) };
let database: string;
let storage: Storage;
let stores: ReturnType<typeof createStores>;
let complete: Complete;
let created: number;

beforeEach(async () => {
  database = newId("test");
  storage = await connectStorage({ uri: surroundings.uri, database });
  stores = createStores(storage, { exclusive: true, now: Date.now, settings: defaultSettings });
  complete = createCompletion({ ...stores, deriveValues: createDeriveValues(stores) });
  await storage.ready();
  created = 0;
});
afterEach(() => storage.close());

function toFile(acceptedFor: string[] = []): FileRecord {
  return {
    ...{ _id: newId("fil"), organizationId: "org_1", projectId: "prj_1", filename: "a.txt", contentType: "text/plain" },
    ...{ declaredContentType: "", readingHint: "", size: 1, sha256: newId("sha"), reason: null, pageCount: 1 },
    ...{ acceptedFor, createdAt: new Date(0), createdBy: "", expiresAt: null },
  };
}

/** Returns a running extraction of a file, which is newer than those before. */
function toRunning({ _id: fileId }: FileRecord, changes: Partial<ExtractionRecord> = {}): ExtractionRecord {
  return {
    ...{ _id: newId("ext"), fileId, projectId: "prj_1", organizationId: "org_1", modelId: "mdl_1", deploymentId: null },
    ...{ schemaId: "sch_1", status: ExtractionStatus.RUNNING, error: null, lease, attempts: 1 },
    ...{ createdAt: new Date((created += 1)), createdBy: "", completedAt: null, ...changes },
  };
}

async function store(files: readonly FileRecord[], running: readonly ExtractionRecord[]): Promise<void> {
  await storage.atomically(async (session) => {
    await stores.files.insert(files, session);
    await stores.extractions.insert(running, session);
  });
}

/** Ends extractions at the same time. */
function completeAll(running: readonly ExtractionRecord[]): Promise<boolean[]> {
  return Promise.all(running.map((extraction) => complete(extraction, outcome, new Date(1_000))));
}

/** Returns the current values as pairs of a file with its model and the extraction that they are from. */
async function readValues(): Promise<Map<string, string | undefined>> {
  const found = await storage.connection.collection("current_values").find().toArray();
  return new Map(
    found.map(({ fileId, modelId, extraction }) => [`${fileId as string} ${modelId as string}`, extraction?.id]),
  );
}

describe("the completion of extractions", () => {
  it("writes extractions of a project that end at the same time in few transactions", async () => {
    const files = Array.from({ length: 20 }, () => toFile());
    const running = files.map((file) => toRunning(file));
    await store(files, running);
    let commits = 0;
    const count = (message: unknown): void => {
      const { command } = message as SentCommand;
      if ("commitTransaction" in command) commits += 1;
    };
    channel(sentCommands).subscribe(count);
    expect(new Set(await completeAll(running))).toEqual(new Set([true]));
    channel(sentCommands).unsubscribe(count);
    expect(commits).toBeLessThanOrEqual(3);
    expect(await readValues()).toEqual(new Map(running.map(({ _id, fileId }) => [`${fileId} mdl_1`, _id])));
    const statuses = await stores.extractions.getStatuses(running.map(({ _id }) => _id));
    expect(new Set(statuses.values())).toEqual(new Set([ExtractionStatus.COMPLETED]));
  });

  it("rejects only those whose lease is lost", async () => {
    const files = Array.from({ length: 6 }, () => toFile());
    const running = files.map((file) => toRunning(file));
    await store(files, running);
    const stale = running.map((each, n) => (n % 3 === 1 ? { ...each, lease: { ...lease, fence: 7 } } : each));
    expect(await completeAll(stale)).toEqual([true, false, true, true, false, true]);
    expect((await readValues()).size).toBe(4);
  });

  it("keeps the values of the newest extraction of a file, for each model", async () => {
    const file = toFile();
    const older = toRunning(file);
    const [newest, other] = [toRunning(file), toRunning(file, { modelId: "mdl_2" })];
    await store([file], [older, newest, other]);
    expect(await completeAll([newest, other, older])).toEqual([true, true, true]);
    const expected = new Map([
      [`${file._id} mdl_1`, newest._id],
      [`${file._id} mdl_2`, other._id],
    ]);
    expect(await readValues()).toEqual(expected);
    const late = toRunning(file, { createdAt: new Date(0) });
    await store([], [late]);
    expect(await completeAll([late])).toEqual([true]);
    expect(await readValues()).toEqual(expected);
  });

  it("keeps the values of the newest of several extractions of a file that comes to the project with them", async () => {
    const file = toFile();
    const running = [toRunning(file), toRunning(file), toRunning(file)];
    const [older, newest, oldest] = [running[1], running[2], running[0]].map((extraction) => {
      return { extraction: extraction!, outcome, at: new Date(1_000) };
    });
    await storage.atomically(async (session) => {
      await stores.files.insert([file], session);
      await stores.extractions.insertCompleted([older!, newest!, oldest!], session);
      await createDeriveValues(stores)([older!, newest!, oldest!], [file], session);
    });
    expect(await readValues()).toEqual(new Map([[`${file._id} mdl_1`, newest!.extraction._id]]));
  });

  it("completes extractions of files that were deleted meanwhile, which have no values", async () => {
    const [kept, deleted] = [toFile(), toFile()];
    const running = [toRunning(kept), toRunning(deleted)];
    await store([kept, deleted], running);
    await storage.atomically((session) => stores.files.remove(deleted._id, session));
    expect(await completeAll(running)).toEqual([true, true]);
    expect([...(await readValues()).keys()]).toEqual([`${kept._id} mdl_1`]);
  });

  it("keeps accepted values", async () => {
    const files = [toFile(["mdl_1"]), toFile()];
    const running = files.map((file) => toRunning(file));
    await store(files, running);
    const [fileId = ""] = files.map(({ _id }) => _id);
    const accepted = { fileId, modelId: "mdl_1", projectId: "prj_1", updatedAt: new Date(0), updatedBy: "" };
    await storage.atomically((session) =>
      stores.accepted.set(accepted, [create(AcceptedTableSchema, { slug: "invoice" })], session),
    );
    await completeAll(running);
    const found = await storage.connection.collection("current_values").find().sort({ status: 1 }).toArray();
    expect(found.map(({ status }) => status)).toEqual(["ACCEPTED", "UNREVIEWED"]);
  });
});
