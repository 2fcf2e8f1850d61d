import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import type { WatchChangesResponse } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import type { TestDatabase } from "@switchyard/storage/testing";
import { createAdministration } from "../store/administration.ts";
import { createModelRemoval } from "../store/model-removal.ts";
import { as, getRefusal } from "../testing/test-service.ts";
import { useOrganization } from "../testing/organization-fixture.ts";

/** Tests the change feed, on the given server. */
export function changesSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useOrganization(provide);
  let changes: Client<typeof ChangeService>;
  beforeEach(() => {
    changes = createClient(ChangeService, fixture.service.getTransport("classifier"));
  });

  async function createProjects(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await fixture.createProject(`P${index}`));
    return ids;
  }
  const remove = (projectId: string) => fixture.service.identity.deleteProject({ projectId }, as(fixture.admin));
  /** Deletes a project as clients do, which try again when the storage is busy. */
  async function removePatiently(projectId: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await remove(projectId);
        return;
      } catch (error) {
        if (attempt === 10 || ConnectError.from(error).code !== Code.Unavailable) throw error;
      }
    }
  }
  async function deleteProjects(count: number): Promise<string[]> {
    const ids = await createProjects(count);
    for (const id of ids) await remove(id);
    return ids;
  }

  const summary = ({ position, kind }: WatchChangesResponse) => [position, kind.value?.projectId];
  /** Returns what a reader gets at once: everything up to the first message without a change. */
  async function read(after?: number): Promise<ReturnType<typeof summary>[]> {
    const received = [];
    for await (const message of changes.watchChanges(after === undefined ? {} : { after })) {
      received.push(summary(message));
      if (message.kind.case === undefined) break;
    }
    return received;
  }
  const collection = (name: string) => fixture.service.storage.connection.collection(name);

  it("sends position 0 if there is no change", async () => {
    expect(await read()).toEqual([[0, undefined]]);
    expect(await read(0)).toEqual([[0, undefined]]);
  });

  it("sends the deletions after a position, in order, with their organization and time", async () => {
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
      expect(kind.value).toMatchObject({ projectId: one, organizationId: fixture.admin.organizationId });
      expect(at).toEqual(timestampFromDate(fixture.time));
      break;
    }
  });

  it("sends every deleted project to a new reader, with a position only after the last one", async () => {
    const ids = await deleteProjects(3);
    expect(await read()).toEqual([...ids.map((id) => [undefined, id]), [3, undefined]]);
  });

  it("sends everything if the position is not, or no longer, in the feed", async () => {
    const ids = await deleteProjects(3);
    const everything = [...ids.map((id) => [undefined, id]), [3, undefined]];
    // The position is ahead of the feed, for example after a backup was restored.
    expect(await read(4)).toEqual(everything);
    await collection("changes").deleteMany({ projectId: ids[0] });
    expect(await read(0)).toEqual(everything);
    expect(await read(1)).toHaveLength(3);
    await collection("changes").deleteMany({});
    expect(await read(1)).toEqual(everything);
    expect(await read(3)).toEqual([[3, undefined]]);
  });

  it("removes changes after 30 days, but keeps the list of deleted projects", async () => {
    const [index] = (await collection("changes").indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds);
    expect(index).toMatchObject({ key: { at: 1 }, expireAfterSeconds: 30 * 86_400 });
    expect(
      (await collection("deleted_projects").indexes()).every((one) => one["expireAfterSeconds"] === undefined),
    ).toBe(true);
  });

  it("sends changes as they happen, and heartbeats in between", async () => {
    const [projectId = ""] = await createProjects(1);
    const received = [];
    for await (const message of changes.watchChanges({ after: 0 })) {
      // If the deletion takes longer than the heartbeat interval, there are more heartbeats.
      if (received.length < 2 || message.position !== 0) received.push(summary(message));
      if (received.length === 2) await remove(projectId);
      if (received.length === 4) break;
    }
    expect(received).toEqual([
      [0, undefined],
      [0, undefined],
      [1, projectId],
      [1, undefined],
    ]);
  });

  it("assigns positions without gaps and duplicates to concurrent deletions", async () => {
    const ids = await createProjects(12);
    await Promise.all(ids.map(removePatiently));
    const received = (await read(0)).slice(0, -1);
    expect(received.map(([position]) => position)).toEqual(ids.map((_, index) => index + 1));
    expect(received.map(([, id]) => id).sort()).toEqual([...ids].sort());
  });

  it("does not send a deletion that was rolled back, and assigns its position to the next one", async () => {
    const administer = createAdministration(fixture.service.storage, createModelRemoval(fixture.service.storage));
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
    const outside = createClient(ChangeService, fixture.service.getTransport("gateway"));
    const call = async () => {
      for await (const _message of outside.watchChanges({}, as(fixture.admin))) break;
    };
    expect(await getRefusal(call())).toBe("SERVICE_ONLY");
  });

  it("ends its streams when the service stops", async () => {
    const ended = (async () => {
      for await (const message of changes.watchChanges({ after: 0 })) {
        if (message.position === 0) void fixture.service.stop();
      }
    })();
    await ended;
  });
}
