import { eventually } from "@switchyard/storage/testing";
import { fillOffice, openStores } from "../testing/deleted-project.ts";
import type { Stores } from "../testing/deleted-project.ts";
import { getBody, givenOffice } from "../testing/office.ts";
import type { GivenSystem } from "../testing/office.ts";

/** 5 s are documented, but tests share the machine. */
const timeoutMs = 45_000;

/** A project that is deleted while services are stopped (API 1); in separate processes. */
export function deletedProjectMeanwhileStoppedSuite(where: GivenSystem): void {
  const given = givenOffice(where);
  let stores: Stores;
  beforeAll(async () => {
    stores = await openStores(given.system.uri);
  });
  afterAll(() => stores?.close());

  it("is cleaned up by services that were stopped during its deletion, once they are started again", async () => {
    const { rest, office, system } = given;
    const { id: global } = await getBody(
      rest.post("/api/v1/classify", { projectId: office.projectId, name: "Mailroom" }),
      201,
    );
    await getBody(rest.post(`/api/v1/classify/${global}:makeGlobal`), 200);
    const deleted = await fillOffice(rest, "Deleted", global);
    const also = await fillOffice(rest, "Also deleted", global);
    const remove = (projectId: string) =>
      getBody(rest.send(`/api/v1/projects/${projectId}`, { method: "DELETE" }), 204);
    const getRemoved = (projectId: string) =>
      eventually(`the rest of ${projectId} to go`, async () =>
        Object.keys(await stores.getRemains(projectId)).length === 0 ? true : undefined,
      );
    const startAgain = await Promise.all(
      ["classifier", "extraction", "benchmark"].map((name) => system.stop(name, "SIGKILL")),
    );
    await remove(deleted.projectId);
    expect(Object.keys(await stores.getRemains(deleted.projectId)).sort()).toEqual([
      "accepted",
      "classifiers",
      "executions",
      "extractions",
      "files",
      "names",
      "revisions",
      "routeProjects",
      "routes",
    ]);
    await Promise.all(startAgain.map((start) => start()));
    const started = performance.now();
    await getRemoved(deleted.projectId);
    expect(performance.now() - started).toBeLessThan(timeoutMs);

    // The stream is also resumed after the other service was down.
    const configuration = await system.stop("configuration", "SIGKILL");
    await configuration();
    await eventually("the gateway to reach it again", async () => {
      const { status } = await rest.send(`/api/v1/projects/${also.projectId}`, { method: "DELETE" });
      return status === 204 ? true : undefined;
    });
    await getRemoved(also.projectId);
    expect(await stores.findClassifierFaults()).toEqual([]);
  });
}
