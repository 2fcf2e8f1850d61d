import { createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import type { WatchChangesResponse } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { useDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { createAdministration } from "../store/administration.ts";
import { createModelRemoval } from "../store/model-removal.ts";
import { as, getRefusal, startTestService } from "../testing/test-service.ts";
import type { TestService } from "../testing/test-service.ts";

/** The feed of changes, on whatever server. */
export function changesSuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let service: TestService;
  let organizationId: string;
  let adminSecret: string;
  let admin: Caller;
  let changes: Client<typeof ChangeService>;
  beforeEach(async () => {
    service = await startTestService(database.uri);
    const first = await service.bootstrap();
    adminSecret = first.secret;
    admin = await service.caller(adminSecret);
    ({ organizationId } = admin);
    changes = createClient(ChangeService, service.getTransport("classifier"));
  });
  afterEach(() => service.close());

  async function createProjects(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await service.identity.createProject({ name: `P${index}` }, as(admin))).id);
    }
    admin = await service.caller(adminSecret);
    return ids;
  }
  const remove = (projectId: string) => service.identity.deleteProject({ projectId }, as(admin));
  async function deleteProjects(count: number): Promise<string[]> {
    const ids = await createProjects(count);
    for (const id of ids) await remove(id);
    return ids;
  }

  const summary = ({ position, kind }: WatchChangesResponse) => [position, kind.value?.projectId];
  /** What a reader is told at once: everything until the first message that is no change. */
  async function read(after?: number): Promise<ReturnType<typeof summary>[]> {
    const told = [];
    for await (const message of changes.watchChanges(after === undefined ? {} : { after })) {
      told.push(summary(message));
      if (message.kind.case === undefined) break;
    }
    return told;
  }
  const collection = (name: string) => service.storage.connection.collection(name);

  it("tells a reader where it stands when nothing was ever changed", async () => {
    expect(await read()).toEqual([[0, undefined]]);
    expect(await read(0)).toEqual([[0, undefined]]);
  });

  it("tells the deletions after a position, in order, with the organization and the time", async () => {
    const [one, two, three] = await deleteProjects(3);
    expect(await read(0)).toEqual([
      [1, one],
      [2, two],
      [3, three],
      [3, undefined],
    ]);
    expect(await read(2)).toEqual([
      [3, three],
      [3, undefined],
    ]);
    for await (const { at, kind } of changes.watchChanges({ after: 0 })) {
      expect(kind.value).toMatchObject({ projectId: one, organizationId });
      expect(Math.abs(Number(at?.seconds ?? 0) * 1000 - Date.now())).toBeLessThan(60_000);
      break;
    }
  });

  it("tells a new reader every project that was ever deleted, without positions until it has all", async () => {
    const ids = await deleteProjects(3);
    expect(await read()).toEqual([...ids.map((id) => [undefined, id]), [3, undefined]]);
  });

  it("tells everything where the position is not, or no longer, one of the feed", async () => {
    const ids = await deleteProjects(3);
    const everything = [...ids.map((id) => [undefined, id]), [3, undefined]];
    // As after a backup of an earlier state was put in.
    expect(await read(4)).toEqual(everything);
    await collection("changes").deleteMany({ projectId: ids[0] });
    expect(await read(0)).toEqual(everything);
    expect(await read(1)).toHaveLength(3);
    await collection("changes").deleteMany({});
    expect(await read(1)).toEqual(everything);
    expect(await read(3)).toEqual([[3, undefined]]);
  });

  it("lets changes expire, and keeps in mind what was deleted", async () => {
    const [index] = (await collection("changes").indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds);
    expect(index).toMatchObject({ key: { at: 1 }, expireAfterSeconds: 30 * 86_400 });
    expect(
      (await collection("deleted_projects").indexes()).every((one) => one["expireAfterSeconds"] === undefined),
    ).toBe(true);
  });

  it("tells changes as they come, and gives signs of life between", async () => {
    const [projectId = ""] = await createProjects(1);
    const told = [];
    for await (const message of changes.watchChanges({ after: 0 })) {
      // There are more signs of life where a deletion takes longer than they are apart.
      if (told.length < 2 || message.position !== 0) told.push(summary(message));
      if (told.length === 2) await remove(projectId);
      if (told.length === 4) break;
    }
    expect(told).toEqual([
      [0, undefined],
      [0, undefined],
      [1, projectId],
      [1, undefined],
    ]);
  });

  it("gives out positions without gap or doublet when projects are deleted at once", async () => {
    const ids = await createProjects(12);
    await Promise.all(ids.map(remove));
    const told = (await read(0)).slice(0, -1);
    expect(told.map(([position]) => position)).toEqual(ids.map((_, index) => index + 1));
    expect(told.map(([, id]) => id).sort()).toEqual([...ids].sort());
  });

  it("tells nothing of a deletion that was rolled back, and gives its position to the next", async () => {
    const administer = createAdministration(service.storage, createModelRemoval(service.storage));
    const [first = "", second = ""] = await createProjects(2);
    const failed = administer(async (records) => {
      const project = await records.project(first);
      if (project !== null) await records.removeProject(project, new Date());
      throw new Error("stop");
    });
    await expect(failed).rejects.toThrow("stop");
    await remove(second);
    expect(await read(0)).toEqual([
      [1, second],
      [1, undefined],
    ]);
    expect(await read()).toEqual([
      [undefined, second],
      [1, undefined],
    ]);
  });

  it("is for services only", async () => {
    const outside = createClient(ChangeService, service.getTransport("gateway"));
    const call = async () => {
      for await (const _message of outside.watchChanges({}, as(admin))) break;
    };
    expect(await getRefusal(call())).toBe("SERVICE_ONLY");
  });

  it("ends its streams when the service stops", async () => {
    const ended = (async () => {
      for await (const message of changes.watchChanges({ after: 0 })) {
        if (message.position === 0) void service.stop();
      }
    })();
    await ended;
  });
}
