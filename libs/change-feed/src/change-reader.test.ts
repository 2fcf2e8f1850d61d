import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import { eventually } from "@switchyard/storage/testing";
import { createChangeReader } from "./change-reader.ts";
import type { ChangeReader, ChangeReaderOptions } from "./change-reader.ts";
import { createTestChangeSource } from "./testing/change-source.ts";
import type { TestChangeSource } from "./testing/change-source.ts";

describe(`the change reader on the ${testDatabaseName}`, () => {
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

  /** Starts a service that reads changes. All services of a test have the same database. */
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
    eventually(`${count} handled changes`, async () => (taken.length >= count ? taken : undefined));
  /** Waits until the reader has stored this position. */
  const remembered = (position: number) =>
    eventually(`position ${position}`, async () => {
      const found = await open[0]?.storage.connection.collection("change_positions").findOne({});
      return found?.["position"] === position ? position : undefined;
    });

  it("starts with a snapshot, and then handles every change", async () => {
    source.deleteProject("prj_1");
    source.deleteProject("prj_2");
    await start();
    expect(await takenWhen(2)).toEqual(["prj_1", "prj_2"]);
    source.deleteProject("prj_3");
    expect(await takenWhen(3)).toEqual(["prj_1", "prj_2", "prj_3"]);
    expect([source.begun, errors]).toEqual([[undefined], []]);
  });

  it("continues at its position after a restart, with the changes since then", async () => {
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

  it("does not store a position before it has handled the complete snapshot", async () => {
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

  it("repeats a change whose handler failed, before later ones", async () => {
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

  it("reconnects if the connection fails, ends or is idle for too long", async () => {
    // On a busy machine, the reader may also reconnect without need, so changes may arrive twice.
    const all = (count: number) =>
      eventually(`${count} handled projects`, async () =>
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
    await eventually("the reconnection after the idle timeout", async () =>
      source.begun.length > length ? true : undefined,
    );
    source.silent = false;
    source.deleteProject("prj_4");
    expect(await all(4)).toEqual(["prj_1", "prj_2", "prj_3", "prj_4"]);
  });

  it("finishes the current change when it is stopped, and handles no others", async () => {
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
    await eventually("the start of the handler", async () => (finish === undefined ? undefined : true));
    const stopped = reader.stop();
    finish?.();
    await stopped;
    expect(taken).toEqual(["prj_1"]);
    await remembered(1);
  });
});
