import { getBody, refusal } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";

const summaryKeys = "id name description deploymentId deployment targetDeploymentId targetDeployment".split(" ");

/** Sections 2.2 and 4.2: routes. */
export function routeSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const project = () => given.office.projectId;
  const receipts = () => ({ deploymentId: given.office.receipts });
  const invoices = () => ({ deploymentId: given.office.invoices });
  const pinned = () => ({ ...invoices(), targetDeploymentId: given.office.deployment });
  const remove = (path: string) => getBody(given.rest.send(path, { method: "DELETE" }), 204);

  describe("4.2 are added", () => {
    it("with all of their fields, or with defaults", async () => {
      const { rest, other } = given;
      const { path } = await classifierWith(rest, project(), [], "global");
      const said = {
        name: " Rent ",
        description: "Leases",
        examples: ["a lease"],
        minConfidence: 0.25,
        enabled: false,
      };
      const body = { deploymentId: other.model, targetDeploymentId: other.deployment, ...said };
      const response = await rest.post(`${path}/routes`, body);
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toBe(`${path}/routes/${response.body.id}`);
      expect(Object.keys(response.body)).toEqual([...summaryKeys, "examples", "minConfidence", "enabled"]);
      expect(response.body).toMatchObject({
        ...{ ...said, name: "Rent", deploymentId: other.model, targetDeploymentId: other.deployment },
        deployment: {
          ...{ id: other.model, name: "Leases", type: "MODEL", projectId: other.projectId },
          project: { id: other.projectId, name: "Real estate" },
        },
        targetDeployment: { id: other.deployment, name: "Leases, stable", status: "ACTIVE" },
      });
      expect(await getBody(rest.get(`${path}/routes/${response.body.id}`), 200)).toEqual(response.body);
      const plain = await getBody(rest.post(`${path}/routes`, receipts()), 201);
      expect(plain).toMatchObject({
        ...{ name: "Receipts", description: "", examples: [], minConfidence: null, enabled: true },
        ...{ targetDeploymentId: null, targetDeployment: null },
      });
      const blank = await getBody(rest.post(`${path}/routes`, { ...pinned(), name: "  " }), 201);
      expect(blank.name).toBe("Invoices, stable");
      expect((await getBody(rest.get(`${path}/routes`), 200)).data).toEqual([response.body, plain, blank]);
      const [summary] = (await getBody(rest.get(path), 200)).deploymentRoutes;
      expect(Object.keys(summary)).toEqual(summaryKeys);
    });

    it("once for each target; a model and one of its deployments are two targets", async () => {
      const { rest } = given;
      const { path, routes } = await classifierWith(rest, project(), [invoices(), pinned()]);
      for (const [body, existingRouteId] of [
        [invoices(), routes[0].id],
        [{ ...invoices(), targetDeploymentId: null }, routes[0].id],
        [{ deploymentId: given.office.firstSchema }, routes[0].id],
        [pinned(), routes[1].id],
      ]) {
        const response = await rest.post(`${path}/routes`, body);
        expect([response.status, response.body.code, response.body.existingRouteId]).toEqual([
          409,
          "ROUTE_EXISTS",
          existingRouteId,
        ]);
      }
    });
  });

  describe("are changed", () => {
    it("only in the fields of the request, and in nothing by {}", async () => {
      const { rest } = given;
      const { path, routes } = await classifierWith(rest, project(), [{ ...pinned(), examples: ["one"] }]);
      const route = `${path}/routes/${routes[0].id}`;
      const before = await getBody(rest.get(path), 200);
      expect(await getBody(rest.patch(route, {}), 200)).toEqual(routes[0]);
      const same = { name: routes[0].name, examples: ["one"], targetDeploymentId: given.office.deployment };
      expect(await getBody(rest.patch(route, same), 200)).toEqual(routes[0]);
      expect(await getBody(rest.get(path), 200)).toEqual(before);

      const change = { name: "Bills", description: "d", examples: ["x", "y"], minConfidence: 0, enabled: false };
      const changed = await getBody(rest.patch(route, change), 200);
      expect(changed).toEqual({ ...routes[0], ...change });
      expect(await getBody(rest.get(route), 200)).toEqual(changed);
      const cleared = await getBody(rest.patch(route, { minConfidence: null, name: " ", examples: [] }), 200);
      expect(cleared).toEqual({ ...changed, minConfidence: null, name: "Invoices, stable", examples: [] });
      expect((await getBody(rest.get(path), 200)).updatedAt > before.updatedAt).toBe(true);
    });

    it("to another deployment of their model or to the model itself", async () => {
      const { rest, office } = given;
      const { path, routes } = await classifierWith(rest, project(), [pinned(), invoices(), receipts()]);
      const route = (index: number) => `${path}/routes/${routes[index].id}`;
      const taken = await rest.patch(route(0), { targetDeploymentId: null });
      expect([taken.status, taken.body.existingRouteId]).toEqual([409, routes[1].id]);
      await remove(route(1));
      const direct = await getBody(rest.patch(route(0), { targetDeploymentId: null }), 200);
      expect(direct).toMatchObject({ targetDeploymentId: null, targetDeployment: null, name: "Invoices, stable" });
      // The route no longer has its old target, so another route can have it.
      const again = await getBody(rest.post(`${path}/routes`, pinned()), 201);
      const back = await rest.patch(route(0), { targetDeploymentId: office.deployment });
      expect([back.status, back.body.existingRouteId]).toEqual([409, again.id]);
      await remove(`${path}/routes/${again.id}`);
      const target = { targetDeploymentId: office.deployment, name: "" };
      expect(await getBody(rest.patch(route(0), target), 200)).toEqual(routes[0]);
      expect((await getBody(rest.get(`${path}/routes`), 200)).data.map(({ id }: any) => id)).toEqual([
        routes[0].id,
        routes[2].id,
      ]);
    });

    it("to no value that is out of bounds, null or unknown", async () => {
      const { rest } = given;
      const { path, routes } = await classifierWith(rest, project(), [invoices()]);
      const patch = (body: object) => refusal(rest.patch(`${path}/routes/${routes[0].id}`, body));
      expect(await patch({ name: null })).toBe("400 INVALID_REQUEST name");
      expect(await patch({ description: null })).toBe("400 INVALID_REQUEST description");
      expect(await patch({ examples: null })).toBe("400 INVALID_REQUEST examples");
      expect(await patch({ enabled: null })).toBe("400 INVALID_REQUEST enabled");
      expect(await patch({ deploymentId: given.office.receipts })).toBe("400 INVALID_REQUEST deploymentId");
      expect(await patch({ minConfidence: 1.01, targetDeploymentId: "", name: "n".repeat(121) })).toBe(
        "400 INVALID_REQUEST targetDeploymentId name minConfidence",
      );
      expect(await patch({ examples: [...Array(20).fill("e"), "e".repeat(2001)] })).toBe(
        "400 INVALID_REQUEST examples examples[20]",
      );
    });

    it("by administrators of a global classifier; only a new target requires access to its project", async () => {
      const { rest, near, plain, bound, other } = given;
      const target = { deploymentId: other.model, targetDeploymentId: other.deployment, examples: ["secret"] };
      const { path, routes } = await classifierWith(rest, project(), [target, receipts()], "global");
      const route = `${path}/routes/${routes[0].id}`;
      for (const by of [plain, bound]) expect((await by.patch(route, { name: "x" })).status).toBe(403);
      const changed = await getBody(near.patch(route, { name: "x", targetDeploymentId: other.deployment }), 200);
      expect(changed).toEqual({ ...routes[0], name: "x", examples: [] });
      expect(await refusal(near.patch(route, { targetDeploymentId: null }))).toBe("403 PROJECT_OUT_OF_REACH");
      expect((await getBody(rest.get(route), 200)).examples).toEqual(["secret"]);
      expect((await near.send(route, { method: "DELETE" })).status).toBe(204);
    });

    it("in all fields but the target if the target is deleted", async () => {
      const { rest, other } = given;
      const path = `/api/v1/deployments/${other.model}/deployments`;
      const { id: deployment } = await getBody(rest.post(path, { name: "Short-lived" }), 201);
      const target = { deploymentId: other.model, targetDeploymentId: deployment };
      const { path: classifier, routes } = await classifierWith(rest, other.projectId, [{ ...target, name: "n" }]);
      await remove(`/api/v1/deployments/${deployment}`);
      const route = `${classifier}/routes/${routes[0].id}`;
      expect(await getBody(rest.patch(route, { name: "", targetDeploymentId: deployment }), 200)).toMatchObject({
        name: "Short-lived",
        targetDeployment: { name: "Short-lived", status: "DELETED" },
      });
      expect((await getBody(rest.patch(route, { targetDeploymentId: null }), 200)).targetDeployment).toBeNull();
      expect(await refusal(rest.patch(route, { targetDeploymentId: deployment }))).toBe(
        "404 DEPLOYMENT_NOT_FOUND targetDeploymentId",
      );
    });
  });

  it("are removed; unknown ones are 404", async () => {
    const { rest } = given;
    const { path, routes } = await classifierWith(rest, project(), [invoices(), receipts()]);
    await remove(`${path}/routes/${routes[0].id}`);
    for (const again of [
      rest.send(`${path}/routes/${routes[0].id}`, { method: "DELETE" }),
      rest.patch(`${path}/routes/${routes[0].id}`, {}),
      rest.get(`${path}/routes/${routes[0].id}`),
    ]) {
      expect(await refusal(again)).toBe("404 ROUTE_NOT_FOUND routeId");
    }
    expect(await getBody(rest.get(path), 200)).toMatchObject({ deploymentRoutes: [{ id: routes[1].id }] });
  });

  it("show names and targets to callers who may use the classifier, but examples only with access to their project", async () => {
    const { rest, near, other } = given;
    const routes = [
      { ...receipts(), examples: ["a receipt"] },
      { deploymentId: other.model, examples: ["a lease"] },
    ];
    const { path } = await classifierWith(rest, project(), routes, "global");
    const all = (await getBody(rest.get(`${path}/routes`), 200)).data;
    expect(all.map(({ examples }: any) => examples)).toEqual([["a receipt"], ["a lease"]]);
    const [first, second] = all;
    expect((await getBody(near.get(`${path}/routes`), 200)).data).toEqual([first, { ...second, examples: [] }]);
    expect(await getBody(near.get(`${path}/routes/${second.id}`), 200)).toEqual({ ...second, examples: [] });
  });
}
