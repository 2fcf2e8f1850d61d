import { getBody, refusal, rounds } from "../testing/office.ts";
import { createRest } from "../../rest.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";

const text =
  "INVOICE\nInvoice number 4711\nAmount due 90.00 EUR\nPayment terms: 14 days\nGoods delivered by the supplier";

/** Section 3: the candidate routes. */
export function candidateSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const project = () => given.office.projectId;
  const target = (id: string) => `/api/v1/deployments/${id}`;
  const set = (id: string, verb: "pause" | "resume") => getBody(given.rest.post(`${target(id)}:${verb}`), 200);
  const receipts = () => ({ deploymentId: given.office.receipts });
  const invoices = () => ({
    deploymentId: given.office.invoices,
    description: "Supplier invoice for goods delivered, with amount due and payment terms.",
  });
  const pinned = () => ({ ...invoices(), targetDeploymentId: given.office.deployment });

  it("exclude each route for the first reason that applies, and the detail shows it", async () => {
    const { rest, office } = given;
    const temporary = await getBody(rest.post(`${target(office.invoices)}/deployments`, { name: "Temporary" }), 201);
    const { path, routes } = await classifierWith(rest, project(), [
      { ...pinned(), enabled: false },
      { ...invoices(), targetDeploymentId: temporary.id, enabled: false },
      invoices(),
      receipts(),
    ]);
    const out = async () => {
      const { candidateRoutes, excludedRoutes } = await getBody(rest.get(path), 200);
      expect(candidateRoutes).toBe(routes.length - excludedRoutes.length);
      const reasons = new Map(excludedRoutes.map(({ routeId, reason }: any) => [routeId, reason]));
      return routes.map(({ id }) => reasons.get(id) ?? null);
    };
    expect(await out()).toEqual(["ROUTE_DISABLED", "ROUTE_DISABLED", null, null]);
    await getBody(rest.send(target(temporary.id), { method: "DELETE" }), 204);
    await set(office.deployment, "pause");
    await set(office.invoices, "pause");
    expect(await out()).toEqual(["ROUTE_DISABLED", "TARGET_DELETED", "MODEL_PAUSED", null]);
    await getBody(rest.patch(`${path}/routes/${routes[0].id}`, { enabled: true }), 200);
    expect(await out()).toEqual(["DEPLOYMENT_PAUSED", "TARGET_DELETED", "MODEL_PAUSED", null]);
    await set(office.deployment, "resume");
    expect(await out()).toEqual(["MODEL_PAUSED", "TARGET_DELETED", "MODEL_PAUSED", null]);
    const record = await getBody(rest.post(path, { text, extract: false }), 201);
    expect(record.scores).toHaveLength(4);
    expect(Object.fromEntries(record.scores.map((each: any) => [each.routeId, each.ineligibleReason]))).toEqual(
      Object.fromEntries((await out()).map((reason, index) => [routes[index].id, reason])),
    );
    await set(office.invoices, "resume");
    expect(await out()).toEqual([null, "TARGET_DELETED", null, null]);
  });

  it(`exclude a paused route from the response to the pause on: ${rounds} times, over another connection`, async () => {
    const { rest, office, system } = given;
    const { path, routes } = await classifierWith(rest, project(), [pinned(), receipts()]);
    const other = createRest(system.url, system.token);
    for (let round = 0; round < rounds; round += 1) {
      const paused = round % 2 === 0 ? office.deployment : office.invoices;
      const before = await getBody(rest.post(path, { text, extract: false }), 201);
      expect(before.routeId).toBe(routes[0].id);
      await set(paused, "pause");
      const after = await getBody(other.post(path, { text, extract: false }), 201);
      expect(after.routeId).not.toBe(routes[0].id);
      expect(after.scores.find(({ routeId }: any) => routeId === routes[0].id).eligible).toBe(false);
      await set(paused, "resume");
    }
  });

  it("that pausing or deleting a target affects are listed by its ID, with the number of remaining ones", async () => {
    const { rest, office, other, near, far, bound, outsider } = given;
    const own = await classifierWith(rest, project(), [invoices(), pinned(), receipts()]);
    const wide = await classifierWith(rest, project(), [{ deploymentId: other.model }, pinned()], "global");
    const listAffectedRoutes = async (id: string, by = rest) =>
      (await getBody(by.get(`${target(id)}/routes`), 200)).data.filter(({ classifier }: any) =>
        [own.id, wide.id].includes(classifier.id),
      );
    const row = (of: typeof own, index: number, isGlobal: boolean, candidatesLeft: number) => ({
      classifier: { id: of.id, name: of.name, isGlobal },
      routeId: of.routes[index].id,
      routeName: of.routes[index].name,
      candidatesLeft,
    });
    const ofModel = [row(wide, 1, true, 1), row(own, 0, false, 1), row(own, 1, false, 1)];
    const ofDeployment = [row(wide, 1, true, 1), row(own, 1, false, 2)];
    expect(await listAffectedRoutes(office.invoices)).toEqual(ofModel);
    expect(await listAffectedRoutes(office.firstSchema)).toEqual(ofModel);
    expect(await listAffectedRoutes(office.deployment)).toEqual(ofDeployment);
    expect(await listAffectedRoutes(office.receipts)).toEqual([row(own, 2, false, 2)]);
    expect(await listAffectedRoutes(other.deployment)).toEqual([]);
    expect(Object.keys((await listAffectedRoutes(office.receipts))[0])).toEqual([
      "classifier",
      "routeId",
      "routeName",
      "candidatesLeft",
    ]);
    for (const by of [near, bound]) expect(await listAffectedRoutes(office.deployment, by)).toEqual(ofDeployment);
    await set(other.model, "pause");
    expect(await listAffectedRoutes(office.deployment)).toEqual([row(wide, 1, true, 0), row(own, 1, false, 2)]);
    await set(other.model, "resume");
    const refused = (id: string, by = rest) => refusal(by.get(`${target(id)}/routes`));
    expect(await refused(office.invoices, far)).toBe("403 PROJECT_OUT_OF_REACH");
    expect(await refused(office.invoices, outsider)).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    expect(await refused("mdl_none")).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    expect(await refused(project())).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
  });
}
