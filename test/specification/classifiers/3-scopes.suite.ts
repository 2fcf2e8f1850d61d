import { getBody, refusal } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";

/** Section 3: the scope of a classifier. */
export function scopeSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const office = () => given.office.projectId;
  const near = () => ({ deploymentId: given.office.receipts });
  const pinned = () => ({ deploymentId: given.office.invoices, targetDeploymentId: given.office.deployment });
  const far = () => ({ deploymentId: given.other.model });

  it("is a project when it is created, and remains until it is changed explicitly", async () => {
    const { rest } = given;
    const { path } = await classifierWith(rest, office(), [near()]);
    await getBody(rest.patch(path, { description: "x" }), 200);
    await getBody(rest.post(`${path}/routes`, pinned()), 201);
    expect(await getBody(rest.get(path), 200)).toMatchObject({ projectId: office(), isGlobal: false });
  });

  it("becomes global and keeps the routes; a repetition changes nothing", async () => {
    const { rest } = given;
    const { path } = await classifierWith(rest, office(), [near(), pinned()]);
    const before = await getBody(rest.get(path), 200);
    const global = await getBody(rest.post(`${path}:makeGlobal`), 200);
    expect(global).toMatchObject({
      ...{ projectId: null, isGlobal: true, deploymentRoutes: before.deploymentRoutes },
      ...{ id: before.id, name: before.name, classificationCount: 0, createdAt: before.createdAt },
    });
    expect(global.updatedAt > before.updatedAt).toBe(true);
    expect(await getBody(rest.post(`${path}:makeGlobal`), 200)).toEqual(global);
  });

  it("becomes the only project of all routes, including deleted targets; a repetition changes nothing", async () => {
    const { rest, other } = given;
    const { id: gone } = await getBody(
      rest.post(`/api/v1/deployments/${other.model}/deployments`, { name: "To be deleted" }),
      201,
    );
    const routes = [far(), { ...far(), targetDeploymentId: gone }];
    const { path } = await classifierWith(rest, office(), routes, "global");
    await getBody(rest.send(`/api/v1/deployments/${gone}`, { method: "DELETE" }), 204);
    const owned = await getBody(rest.post(`${path}:makeProjectScoped`), 200);
    expect(owned).toMatchObject({
      ...{ projectId: other.projectId, isGlobal: false },
      routeProjects: [{ id: other.projectId, name: "Real estate" }],
      deploymentRoutes: [{}, { targetDeployment: { status: "DELETED" } }],
    });
    expect(await getBody(rest.post(`${path}:makeProjectScoped`), 200)).toEqual(owned);
    expect(
      (await getBody(rest.get(`/api/v1/classify?projectId=${office()}`), 200)).map(({ id }: any) => id),
    ).not.toContain(owned.id);
    expect(await refusal(rest.post(`${path}/routes`, near()))).toBe("400 MODEL_OF_ANOTHER_PROJECT deploymentId");
  });

  it("does not become a project if routes span projects, if there are none, or without access", async () => {
    const { rest } = given;
    const spanning = await classifierWith(rest, office(), [near(), far()], "global");
    const empty = await classifierWith(rest, office(), [], "global");
    const leases = await classifierWith(rest, office(), [far()], "global");
    const scoped = (path: string, by = rest) => refusal(by.post(`${path}:makeProjectScoped`));
    expect(await scoped(spanning.path)).toBe("400 ROUTES_SPAN_PROJECTS");
    expect(await scoped(empty.path)).toBe("400 CLASSIFIER_HAS_NO_ROUTES");
    expect(await scoped(leases.path, given.near)).toBe("403 PROJECT_OUT_OF_REACH");
    for (const { path } of [spanning, empty, leases]) {
      expect(await getBody(rest.get(path), 200)).toMatchObject({ isGlobal: true, projectId: null });
    }
    await getBody(given.far.post(`${leases.path}:makeProjectScoped`), 200);
  });

  it("does not change if the name is taken in the new scope", async () => {
    const { rest, other } = given;
    const { path, name } = await classifierWith(rest, office(), [near()], "global");
    // A global name is unique in the organization, so no project can have a classifier with this name later.
    expect(await refusal(rest.post("/api/v1/classify", { projectId: other.projectId, name }))).toBe(
      "409 CLASSIFIER_NAME_TAKEN",
    );
    await getBody(rest.post(`${path}:makeProjectScoped`), 200);
    const twin = await getBody(rest.post("/api/v1/classify", { projectId: other.projectId, name }), 201);
    expect(await refusal(rest.post(`${path}:makeGlobal`))).toBe("409 CLASSIFIER_NAME_TAKEN");
    await getBody(rest.send(`/api/v1/classify/${twin.id}`, { method: "DELETE" }), 204);
    await getBody(rest.post(`${path}:makeGlobal`), 200);
  });

  it("changes only with the organization-level right and access to the owning project", async () => {
    const { rest, plain, bound, reader, far: elsewhere, outsider } = given;
    const own = await classifierWith(rest, office(), [near()]);
    const global = await classifierWith(rest, office(), [near()], "global");
    const callers = [plain, bound, reader, outsider];
    const statuses = async (path: string) => Promise.all(callers.map(async (by) => (await by.post(path)).status));
    expect(await statuses(`${own.path}:makeGlobal`)).toEqual([403, 403, 403, 404]);
    expect(await statuses(`${global.path}:makeProjectScoped`)).toEqual([403, 403, 403, 404]);
    expect(await refusal(elsewhere.post(`${own.path}:makeGlobal`))).toBe("403 CLASSIFIER_OUT_OF_REACH");
    expect(await refusal(elsewhere.post(`${own.path}:makeProjectScoped`))).toBe("403 CLASSIFIER_OUT_OF_REACH");
    for (const verb of ["makeGlobal", "makeProjectScoped"]) {
      expect(await refusal(rest.post(`${own.path}:${verb}`, { projectId: office() }))).toBe(
        "400 INVALID_REQUEST projectId",
      );
    }
    expect(await getBody(rest.get(own.path), 200)).toMatchObject({ isGlobal: false });
  });
}
