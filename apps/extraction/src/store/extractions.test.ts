import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { sentCommands } from "@switchyard/storage/sent-commands";
import type { SentCommand } from "@switchyard/storage/sent-commands";
import { startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { channel } from "node:diagnostics_channel";
import { defaultSettings } from "../service/settings.ts";
import { createStores } from "../stores.ts";

describe("the statuses of extractions", () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  beforeAll(async () => {
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
  });
  afterAll(() => storage.close());

  it("are read in parts that an index can find, and only they", async () => {
    const { extractions } = createStores(storage, { exclusive: true, now: Date.now, settings: defaultSettings });
    await storage.ready();
    const lease = { owner: "", since: new Date(0), until: new Date(9e12), fence: 0 };
    const running = Array.from({ length: 401 }, () => ({
      ...{ _id: newId("ext"), fileId: newId("fil"), projectId: "prj_1", organizationId: "org_1", modelId: "mdl_1" },
      ...{ deploymentId: null, schemaId: "sch_1", status: ExtractionStatus.RUNNING, error: null, lease, attempts: 1 },
      ...{ createdAt: new Date(), createdBy: "", completedAt: null },
    }));
    await storage.atomically((session) => extractions.insert(running, session));
    const asked: number[] = [];
    const fields: unknown[] = [];
    const note = (message: unknown): void => {
      const { command } = message as SentCommand;
      if (command["find"] !== "extractions") return;
      asked.push((command["filter"] as { _id: { $in: string[] } })._id.$in.length);
      fields.push(command["projection"]);
    };
    channel(sentCommands).subscribe(note);
    const statuses = await extractions.getStatuses(running.map(({ _id }) => _id));
    channel(sentCommands).unsubscribe(note);
    expect(statuses).toEqual(new Map(running.map(({ _id }) => [_id, ExtractionStatus.RUNNING])));
    expect(asked.toSorted((left, right) => left - right)).toEqual([1, 200, 200]);
    expect(fields).toEqual(Array.from({ length: 3 }, () => ({ status: 1 })));
  });
});
