import { eventually } from "@switchyard/storage/testing";
import { createRest } from "../../rest.ts";
import { fillOffice, invoiceText, openStores } from "../testing/deleted-project.ts";
import type { Stores } from "../testing/deleted-project.ts";
import { getBody, givenOffice, refusal, rounds } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** What is deleted together with a project (API 1). The office itself stays. */
export function deletedProjectSuite(where: Where): void {
  const given = givenOffice(where);
  let stores: Stores;
  /** A global classifier with a route into the office that stays. */
  let global: string;

  beforeAll(async () => {
    stores = await openStores(given.system.uri);
    const { rest, office } = given;
    const { id } = await getBody(rest.post("/api/v1/classify", { projectId: office.projectId, name: "Mailroom" }), 201);
    await getBody(rest.post(`/api/v1/classify/${id}:makeGlobal`), 200);
    await getBody(rest.post(`/api/v1/classify/${id}/routes`, { deploymentId: office.receipts, name: "Stays" }), 201);
    global = id;
  });
  afterAll(() => stores?.close());

  const remove = (projectId: string) =>
    getBody(given.rest.send(`/api/v1/projects/${projectId}`, { method: "DELETE" }), 204);
  const classifier = (id: string) => `/api/v1/classify/${id}`;
  const detail = (id: string) => getBody(given.rest.get(classifier(id)), 200);
  const gone = (projectId: string) =>
    eventually(`the rest of ${projectId} to go`, async () =>
      Object.keys(await stores.getRemains(projectId)).length === 0 ? true : undefined,
    );

  it("is removed with its classifiers, files, extractions, executions and routes into it; everything else remains", async () => {
    const { rest, office } = given;
    const deleted = await fillOffice(rest, "Deleted", global);
    const other = await fillOffice(rest, "Kept", global);
    const shared = new TextEncoder().encode("Invoice that both have, total 1.00");
    const upload = (projectId: string) =>
      getBody(rest.upload(`/api/v1/projects/${projectId}/files`, "shared.txt", shared), 201);
    const [, kept] = [await upload(deleted.projectId), await upload(other.projectId)];
    const record = await getBody(rest.post(classifier(deleted.classifier), { text: invoiceText }), 201);
    expect(record).toMatchObject({ status: "CLASSIFIED", projectId: deleted.projectId });

    await remove(deleted.projectId);
    for (const id of [deleted.invoices, deleted.receipts, deleted.deployment]) {
      expect(await refusal(rest.patch(`/api/v1/deployments/${id}`, { name: "Still here" }))).toMatch(/^404 /);
    }
    await gone(deleted.projectId);

    for (const path of [
      classifier(deleted.classifier),
      `/api/v1/files/${deleted.file.id}`,
      `/api/v1/files/${record.fileId}/content`,
      `/api/v1/extractions/${deleted.extraction}`,
      `/api/v1/extractions/${record.extraction.id}`,
      `/api/v1/benchmarks/${deleted.execution}`,
    ]) {
      expect([path, await refusal(rest.get(path))]).toEqual([path, expect.stringMatching(/^404 /)]);
    }
    const read = await getBody(rest.get(`${classifier(deleted.classifier)}/classifications/${record.id}`), 200);
    expect(read).toMatchObject({ id: record.id, status: "CLASSIFIED", routeName: record.routeName });
    // Clients that wait for the extraction get an error.
    expect(read.extraction.status).not.toBe("RUNNING");

    const { deploymentRoutes, routeProjects } = await detail(global);
    expect(deploymentRoutes.map((route: any) => route.deployment.projectId)).toEqual([
      office.projectId,
      other.projectId,
      other.projectId,
    ]);
    expect(routeProjects.map(({ id }: any) => id)).toEqual([office.projectId, other.projectId]);
    expect(await stores.findClassifierFaults()).toEqual([]);
    const content = await rest.get(`/api/v1/files/${kept.id}/content`);
    expect([content.status, content.text]).toEqual([200, "Invoice that both have, total 1.00"]);
    await getBody(rest.get(`/api/v1/extractions/${other.extraction}`), 200);
    const inUse = await stores.bytesInUse();
    expect(inUse).not.toContain(deleted.file.sha256);
    expect(inUse).toEqual(expect.arrayContaining([kept.sha256, other.file.sha256]));
    // The names are available again.
    const again = { projectId: office.projectId, name: "Deleted inbox" };
    const { id } = await getBody(rest.post("/api/v1/classify", again), 201);
    await getBody(rest.post(`${classifier(id)}:makeGlobal`), 200);
    await remove(other.projectId);
    await gone(other.projectId);
  });

  it("excludes routes into it as TARGET_DELETED at once, until they are removed", async () => {
    const deleted = await fillOffice(given.rest, "Seen", global);
    await remove(deleted.projectId);
    const { deploymentRoutes, excludedRoutes, candidateRoutes } = await detail(global);
    const left = deploymentRoutes.filter((route: any) => route.deployment.projectId === deleted.projectId);
    expect(excludedRoutes).toEqual(left.map(({ id }: any) => ({ routeId: id, reason: "TARGET_DELETED" })));
    expect(candidateRoutes).toBe(1);
    await gone(deleted.projectId);
    expect(await detail(global)).toMatchObject({ candidateRoutes: 1, excludedRoutes: [] });
  });

  it("leaves a global classifier that once belonged to it", async () => {
    const deleted = await fillOffice(given.rest, "Origin", global);
    await getBody(given.rest.post(`${classifier(deleted.classifier)}:makeGlobal`), 200);
    const before = await detail(deleted.classifier);
    await remove(deleted.projectId);
    await gone(deleted.projectId);
    const { updatedAt: _updatedAt, ...after } = await detail(deleted.classifier);
    expect(after).toMatchObject({ isGlobal: true, name: before.name, deploymentRoutes: [], routeProjects: [] });
    await getBody(given.rest.send(classifier(deleted.classifier), { method: "GET" }), 200);
  });

  it(`leaves nothing if requests write to it during its deletion, ${rounds} rounds`, async () => {
    const { rest } = given;
    const admin = createRest(given.system.url, given.system.token);
    const deletedIds: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const deleted = await raceOffice(round);
      const work = [
        () => admin.send(`/api/v1/projects/${deleted.projectId}`, { method: "DELETE" }),
        () => rest.post(classifier(global), { text: `${invoiceText} ${round}` }),
        () => rest.post(classifier(deleted.classifier), { text: `${invoiceText} ${round}, again` }),
        () => rest.post(`${classifier(global)}/routes`, { deploymentId: deleted.model, examples: [`Race ${round}`] }),
        () => rest.post(`${classifier(deleted.classifier)}/routes`, { deploymentId: deleted.model }),
        () => rest.post("/api/v1/classify", { projectId: deleted.projectId, name: "Late" }),
        () =>
          rest.upload(`/api/v1/projects/${deleted.projectId}/files`, "late.txt", new TextEncoder().encode(`${round}`)),
        () => rest.post(`/api/v1/deployments/${deleted.model}/extractions`, { fileId: deleted.file }),
      ];
      // In each round another request is the first, and the others follow with or without a delay.
      const turned = [...work.slice(round % work.length), ...work.slice(0, round % work.length)];
      const responses = await Promise.all(
        turned.map(async (one, index) => {
          await new Promise((resolve) => setTimeout(resolve, round % 3 === 0 ? 0 : index * (round % 3) * 2));
          return one();
        }),
      );
      const wrong = responses.filter(({ status }) => ![201, 204, 400, 403, 404].includes(status));
      expect(wrong.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
      deletedIds.push(deleted.projectId);
    }
    for (const projectId of deletedIds) await gone(projectId);
    // Nothing reappears: all requests have ended by now.
    const remains = await Promise.all(deletedIds.map((projectId) => stores.getRemains(projectId)));
    expect(remains).toEqual(deletedIds.map(() => ({})));
    expect(await stores.findClassifierFaults()).toEqual([]);
    expect((await detail(global)).deploymentRoutes.map(({ name }: any) => name)).toEqual(["Stays"]);
    const records = await getBody(rest.get(`${classifier(global)}/classifications?limit=500`), 200);
    if (records.nextPageToken === null) {
      expect((await detail(global)).classificationCount).toBe(records.data.length);
    }
  }, 600_000);

  /** Creates a project with one model, a project classifier on it, a route of the global classifier to it, and a file. */
  async function raceOffice(round: number) {
    const { rest } = given;
    const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: `Race ${round}` }), 201);
    const columns = [{ slug: "total", name: "Total", type: "NUMBER" }];
    const body = { name: "Invoices", tables: [{ slug: "invoice", isPrimary: true }], columns };
    const model = await getBody(rest.post(`/api/v1/projects/${projectId}/deployments`, body), 201);
    const pinned = await getBody(rest.post(`/api/v1/deployments/${model.id}/deployments`, { name: "Pinned" }), 201);
    const own = { projectId, name: "Own", routes: [{ deploymentId: model.id, targetDeploymentId: pinned.id }] };
    const route = { deploymentId: model.id, targetDeploymentId: pinned.id, description: invoiceText };
    const [created, file] = await Promise.all([
      getBody(rest.post("/api/v1/classify", own), 201),
      getBody(rest.upload(`/api/v1/projects/${projectId}/files`, "a.txt", new TextEncoder().encode("Total 1")), 201),
      getBody(rest.post(`${classifier(global)}/routes`, route), 201),
    ]);
    return { projectId, model: model.id, classifier: created.id, file: file.id };
  }
}
