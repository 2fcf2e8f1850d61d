import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import { eventually } from "@switchyard/storage/testing";
import type { ChangeReader } from "./change-reader.ts";
import { createDeletedProjects } from "./deleted-projects.ts";
import type { DeletedProjects } from "./deleted-projects.ts";
import { createProjectRemoval } from "./project-removal.ts";
import { createTestChangeSource } from "./testing/change-source.ts";
import type { TestChangeSource } from "./testing/change-source.ts";

describe(`the removal of deleted projects on the ${testDatabaseName}`, () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  let source: TestChangeSource;
  let deletedProjects: DeletedProjects;
  let removal: ChangeReader;
  let removed: string[];
  let errors: unknown[];
  let broken: string | undefined;
  let remove: (projectId: string) => Promise<void>;
  let time: Date;

  beforeEach(async () => {
    source = createTestChangeSource();
    time = new Date("2026-01-02T03:04:05.006Z");
    [removed, errors, broken] = [[], [], undefined];
    remove = async () => undefined;
    await start(newId("test"));
  });
  afterEach(() => end());

  async function start(name: string): Promise<void> {
    storage = await connectStorage({ uri: database.uri, database: name });
    deletedProjects = createDeletedProjects(storage.connection);
    removal = createProjectRemoval({
      connection: storage.connection,
      source,
      deletedProjects,
      contents: {
        async removeProject({ projectId, organizationId }) {
          await remove(projectId);
          if (projectId === broken) throw new Error("the disk is full");
          removed.push(`${organizationId}/${projectId}`);
        },
      },
      onError: (error) => errors.push(error),
      now: () => time,
      intervalMs: 5,
    });
    await storage.ready();
    removal.start();
  }

  async function end(): Promise<void> {
    await removal.stop();
    await storage.close();
  }

  const later = (milliseconds: number): void => {
    time = new Date(time.getTime() + milliseconds);
  };
  const removals = (count: number) =>
    eventually(`${count} removals`, async () => (removed.length >= count ? removed : undefined));
  /** Returns the projects that are still to be removed at any time. */
  const dueEver = () => deletedProjects.due(new Date(8.64e15), 10);

  it("repeats the removal until no earlier transaction can be open", async () => {
    source.deleteProject("prj_1");
    await removals(1);
    for (const age of [1_000, 2_000, 4_000, 128_000]) {
      const before = removed.length;
      later(age);
      await removals(before + 1);
    }
    await eventually("the end", async () => ((await dueEver()).length === 0 ? true : undefined));
    expect(new Set(removed)).toEqual(new Set(["org_1/prj_1"]));
    expect(errors).toEqual([]);
  });

  it("is not finished while a transaction that started before the deletion may be open", async () => {
    source.deleteProject("prj_1");
    await removals(1);
    later(119_000);
    await removals(2);
    expect(await dueEver()).toHaveLength(1);
  });

  it("reports deleted projects within a transaction", async () => {
    const has = (projectId: string) => storage.atomically((session) => deletedProjects.has(projectId, session));
    source.deleteProject("prj_1");
    await removals(1);
    expect([await has("prj_1"), await has("prj_2")]).toEqual([true, false]);
  });

  it("continues with other projects if one cannot be removed, and retries that one", async () => {
    broken = "prj_1";
    source.deleteProject("prj_1");
    source.deleteProject("prj_2");
    expect(await removals(1)).toEqual(["org_1/prj_2"]);
    await eventually("the error", async () => (errors.length > 0 ? true : undefined));
    broken = undefined;
    later(2_000);
    await eventually("the other one", async () => (removed.includes("org_1/prj_1") ? true : undefined));
  });

  it("removes the writes of a transaction that started before the deletion and was committed after the removal", async () => {
    const things = storage.connection.collection("things");
    await storage.connection.createCollection("things");
    remove = async (projectId) => void (await things.deleteMany({ projectId }));
    let go = (): void => undefined;
    const removedOnce = new Promise<void>((resolve) => (go = resolve));
    const written = storage.atomically(async (session) => {
      const known = await deletedProjects.has("prj_1", session);
      source.deleteProject("prj_1");
      await removedOnce;
      if (!known) await things.insertOne({ projectId: "prj_1" }, { session });
    });
    await removals(1);
    go();
    await written;
    expect(await things.countDocuments({})).toBe(1);
    later(1_000);
    await eventually("the second removal", async () => ((await things.countDocuments({})) === 0 ? true : undefined));
  });

  it("continues after a crash, because it stores the deletion before the position", async () => {
    const name = storage.connection.name;
    broken = "prj_1";
    source.deleteProject("prj_1");
    await eventually("the failure", async () => (errors.length > 0 ? true : undefined));
    await end();
    broken = undefined;
    later(2_000);
    await start(name);
    expect(await removals(1)).toEqual(["org_1/prj_1"]);
  });
});
