import { createRest, made } from "../../rest.ts";
import { startTestSystem } from "../../system.ts";
import type { Running, TestSystem } from "../../system.ts";

describe("3 lists of classifiers, with replicas of the services", () => {
  let system: TestSystem;
  let replica: Running;
  beforeAll(async () => {
    system = await startTestSystem("replicas");
    replica = await system.replica();
  });
  afterAll(async () => {
    await replica.close();
    await system.close();
  });

  it("show what another replica has changed as soon as it has responded", async () => {
    const [one, other] = [system, replica].map(({ url }) => createRest(url, system.token));
    if (one === undefined || other === undefined) throw new Error("There are two replicas");
    const { id: projectId } = await made(one.post("/api/v1/projects", { name: "Payable" }));
    const model = { name: "Invoices", tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "total" }] };
    const { id: modelId } = await made(one.post(`/api/v1/projects/${projectId}/deployments`, model));
    const { id } = await made(one.post("/api/v1/classify", { projectId, name: "Mail" }));
    await made(one.post(`/api/v1/classify/${id}/routes`, { deploymentId: modelId }));
    const list = async (rest: typeof one) => (await made(rest.get(`/api/v1/classify?projectId=${projectId}`)))[0];

    for (let round = 1; round <= 12; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
      const name = `Invoices ${round}`;
      await made(writer.patch(`/api/v1/deployments/${modelId}`, { name }));
      expect((await list(reader)).deploymentRoutes[0].deployment.name).toBe(name);
      await made(writer.post(`/api/v1/classify/${id}`, { text: `Invoice ${round}` }));
      // Documents without a route count too.
      expect((await list(reader)).classificationCount).toBe(2 * round - 1);
      await made(writer.post(`/api/v1/deployments/${modelId}:pause`, {}));
      const { status, reason } = await made(reader.post(`/api/v1/classify/${id}`, { text: `Paused ${round}` }));
      expect([status, reason?.code]).toEqual(["UNCLASSIFIED", "NO_ACTIVE_ROUTE"]);
      await made(writer.post(`/api/v1/deployments/${modelId}:resume`, {}));
    }
  });
});
