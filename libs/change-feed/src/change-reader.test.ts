import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import { eventually } from "@switchyard/storage/testing";
import { createChangeReader } from "./change-reader.ts";
import type { ChangeReader, ChangeReaderOptions } from "./change-reader.ts";
import { createTestChangeSource } from "./testing/change-source.ts";
import type { TestChangeSource } from "./testing/change-source.ts";

describe(`the reader of changes on the ${testDatabaseName}`, () => {
  const database = useDatabase(startTestDatabase);
  let source: TestChangeSource;
  let name: string;
  let taken: string[];
  let errors: unknown[];
  const open: { reader: ChangeReader; storage: Storage }[] = [];

  beforeEach(() => {
    source = createTestChangeSource();
    name = newId("test");
    [taken, errors] = [[], []];
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await end(one);
  });

  /** A service that reads; every one of a test has the same database. */
  async function start(options: Partial<ChangeReaderOptions> = {}) {
    const storage = await connectStorage({ uri: database.uri, database: name });
    const reader = createChangeReader({
      connection: storage.connection,
      source,
      onChange: async ({ value }) => void taken.push(value.projectId),
      onError: (error) => errors.push(error),
      retryDelayMs: { initial: 5, max: 20 },
      ...options,
    });
    await storage.ready();
    reader.start();
    const started = { reader, storage };
    open.push(started);
    return started;
  }

  async function end({ reader, storage }: { reader: ChangeReader; storage: Storage }): Promise<void> {
    await reader.stop();
    await storage.close();
  }

  const takenWhen = (count: number) =>
    eventually(`${count} taken`, async () => (taken.length >= count ? taken : undefined));
  /** The position that the reader remembers once it is this one. */
  const remembered = (position: number) =>
    eventually(`position ${position}`, async () => {
      const found = await open[0]?.storage.connection.collection("change_positions").findOne({});
      return found?.["position"] === position ? position : undefined;
    });

  it("begins with a snapshot, then takes every change as it comes", async () => {
    source.deleteProject("prj_1");
    source.deleteProject("prj_2");
    await start();
    expect(await takenWhen(2)).toEqual(["prj_1", "prj_2"]);
    source.deleteProject("prj_3");
    expect(await takenWhen(3)).toEqual(["prj_1", "prj_2", "prj_3"]);
    expect([source.begun, errors]).toEqual([[undefined], []]);
  });

  it("goes on where it was when it is started again, with what came meanwhile", async () => {
    const first = await start();
    source.deleteProject("prj_1");
    await takenWhen(1);
    await remembered(1);
    await end(first);
    open.splice(0);
    source.deleteProject("prj_2");
    source.deleteProject("prj_3");
    await start();
    expect(await takenWhen(3)).toEqual(["prj_1", "prj_2", "prj_3"]);
    expect(source.begun).toEqual([undefined, 1]);
  });

  it("does not remember a snapshot before all of it is taken in", async () => {
    ["prj_1", "prj_2", "prj_3"].forEach(source.deleteProject);
    let broken = true;
    await start({
      async onChange({ value: { projectId } }) {
        if (projectId === "prj_2" && broken) {
          broken = false;
          throw new Error("the effect failed");
        }
        taken.push(projectId);
      },
    });
    expect(await takenWhen(4)).toEqual(["prj_1", "prj_1", "prj_2", "prj_3"]);
    expect(source.begun).toEqual([undefined, undefined]);
    await remembered(3);
  });

  it("gets a change again that could not be taken in, before those after it", async () => {
    await start({
      async onChange({ value: { projectId } }) {
        taken.push(projectId);
        if (taken.length < 4) throw new Error("the effect failed");
      },
    });
    await remembered(0);
    source.deleteProject("prj_1");
    source.deleteProject("prj_2");
    expect(await takenWhen(5)).toEqual(["prj_1", "prj_1", "prj_1", "prj_1", "prj_2"]);
    expect(source.begun).toEqual([undefined, 0, 0, 0]);
    expect(errors).toHaveLength(3);
  });

  it("connects again when the connection breaks, ends or falls silent", async () => {
    // On a busy machine a moment may pass for silence as well: what comes twice then is allowed to.
    const all = (count: number) =>
      eventually(`${count} projects taken`, async () =>
        new Set(taken).size >= count ? [...new Set(taken)] : undefined,
      );
    await start({ idleTimeoutMs: 500 });
    source.deleteProject("prj_1");
    await all(1);
    for (const [projectId, error] of [["prj_2", new Error("reset")], ["prj_3"]] as const) {
      const { length } = source.begun;
      source.disconnect(error);
      await eventually("a new connection", async () => (source.begun.length > length ? true : undefined));
      source.deleteProject(projectId);
    }
    await all(3);
    const { length } = source.begun;
    source.silent = true;
    await eventually("the silence to be noticed", async () => (source.begun.length > length ? true : undefined));
    source.silent = false;
    source.deleteProject("prj_4");
    expect(await all(4)).toEqual(["prj_1", "prj_2", "prj_3", "prj_4"]);
  });

  it("lets a change be taken in that is under way when it is stopped, and takes none after", async () => {
    let finish: (() => void) | undefined;
    const { reader } = await start({
      async onChange({ value }) {
        await new Promise<void>((resolve) => (finish = resolve));
        taken.push(value.projectId);
      },
    });
    await remembered(0);
    source.deleteProject("prj_1");
    source.deleteProject("prj_2");
    await eventually("the change to be under way", async () => (finish === undefined ? undefined : true));
    const stopped = reader.stop();
    finish?.();
    await stopped;
    expect(taken).toEqual(["prj_1"]);
    await remembered(1);
  });
});
