import { getBody, givenOffice, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

const text =
  "INVOICE\nInvoice number 4711\nAmount due 90.00 EUR\nPayment terms: 14 days\nGoods delivered by the supplier";

/** Section 3: routes whose target is paused or deleted. */
export function deletedTargetSuite(where: Where): void {
  const given = givenOffice(where);
  const target = (id: string) => `/api/v1/deployments/${id}`;
  const classifier = () => `/api/v1/classify/${given.office.classifier}`;
  const remove = (id: string) => getBody(given.rest.send(target(id), { method: "DELETE" }), 204);
  const classify = () => getBody(given.rest.post(classifier(), { text, extract: false }), 201);
  const detail = () => getBody(given.rest.get(classifier()), 200);
  const routes = async () => {
    const { office, rest } = given;
    const ofClassifier = (list: any[]) => list.find(({ id }: any) => id === office.classifier).deploymentRoutes;
    return [
      ofClassifier(await getBody(rest.get(`/api/v1/classify?projectId=${office.projectId}`), 200)),
      (await detail()).deploymentRoutes,
      (await getBody(rest.get(`${classifier()}/routes`), 200)).data,
    ];
  };
  const getExclusion = (record: any) =>
    record.scores
      .map(({ routeName, eligible, ineligibleReason }: any) => [routeName, eligible, ineligibleReason])
      .sort();

  it("are excluded for the first reason that applies, and included again when none does", async () => {
    const { rest, office } = given;
    const reason = async () => (await detail()).excludedRoutes.map((excluded: any) => excluded.reason);
    const set = (id: string, verb: "pause" | "resume") => getBody(rest.post(`${target(id)}:${verb}`), 200);
    expect(await reason()).toEqual([]);
    await set(office.invoices, "pause");
    expect(await reason()).toEqual(["MODEL_PAUSED"]);
    await set(office.deployment, "pause");
    expect(await reason()).toEqual(["DEPLOYMENT_PAUSED"]);
    await set(office.invoices, "resume");
    expect(await reason()).toEqual(["DEPLOYMENT_PAUSED"]);
    await set(office.deployment, "resume");
    expect(await reason()).toEqual([]);
  });

  it("remain, excluded everywhere, with the last names of their deployment and model when these are deleted", async () => {
    const { rest, office } = given;
    const before = await classify();
    expect(before).toMatchObject({ status: "CLASSIFIED", routeName: "Invoice", deploymentName: "Invoices, stable" });
    const [route] = (await detail()).deploymentRoutes;
    await getBody(rest.patch(target(office.deployment), { name: "Invoices, last" }), 200);
    await getBody(rest.patch(target(office.invoices), { name: "Supplier invoices" }), 200);
    await getBody(rest.post(`${target(office.deployment)}:pause`), 200);

    await remove(office.deployment);
    const targetDeployment = { id: office.deployment, name: "Invoices, last", status: "DELETED" };
    const deployment = { id: office.invoices, name: "Supplier invoices", projectId: office.projectId };
    for (const [first] of await routes()) {
      expect(first).toMatchObject({
        id: route.id,
        targetDeploymentId: office.deployment,
        targetDeployment,
        deployment,
      });
    }
    const after = await classify();
    expect(getExclusion(after)).toEqual([
      ["Invoice", false, "TARGET_DELETED"],
      ["Receipt", true, null],
    ]);
    expect(after.routeName).not.toBe("Invoice");

    await remove(office.invoices);
    for (const [first] of await routes()) {
      expect(first).toMatchObject({ id: route.id, name: "Invoice", targetDeployment, deployment });
      expect(first.deployment.project).toEqual({ id: office.projectId, name: "Accounts payable" });
    }
    expect(await detail()).toMatchObject({
      candidateRoutes: 1,
      excludedRoutes: [{ routeId: route.id, reason: "TARGET_DELETED" }],
    });
    const record = await getBody(rest.get(`${classifier()}/classifications/${before.id}`), 200);
    expect(record).toEqual(before);
    expect((await getBody(rest.get(`${classifier()}/classifications/${after.id}`), 200)).scores).toEqual(after.scores);
    const again = { deploymentId: office.invoices, targetDeploymentId: office.deployment };
    expect(await refusal(rest.post(`${classifier()}/routes`, again))).toBe("404 MODEL_NOT_FOUND deploymentId");
  });

  it("leave documents UNCLASSIFIED if there is no other candidate", async () => {
    await remove(given.office.receipts);
    const record = await classify();
    expect(record).toMatchObject({ status: "UNCLASSIFIED", reason: { code: "NO_ACTIVE_ROUTE" }, routeId: null });
    expect(getExclusion(record)).toEqual([
      ["Invoice", false, "TARGET_DELETED"],
      ["Receipt", false, "TARGET_DELETED"],
    ]);
    for (const [, second] of await routes()) {
      expect(second).toMatchObject({ targetDeployment: null, deployment: { name: "Receipts", type: "MODEL" } });
    }
    const { data } = await getBody(given.rest.get(`/api/v1/projects/${given.office.projectId}/deployments`), 200);
    expect(data).toEqual([]);
  });
}
