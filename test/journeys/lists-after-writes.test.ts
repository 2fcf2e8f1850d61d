import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { givenSystem } from "../specification/testing/office.ts";
import { createOffice } from "./fixture.ts";
import type { Office } from "./fixture.ts";

// A server that owns its database caches lists, see decision 33. They must show every write whose response was received.
describe("lists of classifiers in a server that owns its database", () => {
  const given = givenSystem("shared");
  let rest: Rest;
  let office: Office;
  beforeAll(async () => {
    rest = createRest(given.system.url, given.system.token);
    office = await createOffice(rest, "Lists");
  });

  const path = () => `/api/v1/classify?projectId=${office.projectId}`;
  const listed = async (): Promise<any[]> => (await rest.get(path())).body;

  it("show every change that was made before", async () => {
    const { projectId, classifier, invoices } = office;
    const names = async () => {
      const all = await listed();
      expect((await rest.get(`${path()}&limit=1`)).body).toEqual(all.slice(0, 1));
      return all.map(({ name }) => name);
    };
    const [present] = await names();
    const added = (await rest.post("/api/v1/classify", { projectId, name: "Added" })).body.id;
    expect(await names()).toEqual(["Added", present]);
    const own = `/api/v1/classify/${added}`;
    await rest.patch(own, { name: "Renamed" });
    expect(await names()).toEqual(["Renamed", present]);
    const route = (await rest.post(`${own}/routes`, { deploymentId: invoices })).body;
    expect((await listed())[0].deploymentRoutes).toMatchObject([{ id: route.id }]);
    await rest.patch(`/api/v1/deployments/${invoices}`, { name: "Invoices, renamed" });
    expect((await listed())[0].deploymentRoutes[0].deployment.name).toBe("Invoices, renamed");
    await rest.post(`${own}:makeGlobal`);
    expect((await listed())[0]).toMatchObject({ isGlobal: true, projectId: null });
    await rest.send(`${own}/routes/${route.id}`, { method: "DELETE" });
    // A global classifier without a route into the project is not in its list.
    expect(await names()).toEqual([present]);
    const classified = await rest.post(`/api/v1/classify/${classifier}`, { text: "Nothing", extract: false });
    expect(classified.status).toBe(201);
    expect((await listed())[0].classificationCount).toBe(1);
    await rest.send(`/api/v1/classify/${classifier}`, { method: "DELETE" });
    expect(await names()).toEqual([]);
  });

  it("count every classification that was answered, while others read and write", async () => {
    const { projectId } = office;
    const { id } = (await rest.post("/api/v1/classify", { projectId, name: "Counted" })).body;
    let answered = 0;
    let busy = true;
    const read = async () => {
      while (busy) {
        const before = answered;
        expect((await listed())[0].classificationCount).toBeGreaterThanOrEqual(before);
      }
    };
    const write = async () => {
      for (let each = 0; each < 20; each += 1) {
        const response = await rest.post(`/api/v1/classify/${id}`, { text: "Nothing", extract: false });
        expect(response.status).toBe(201);
        answered += 1;
      }
    };
    const reading = Promise.all([read(), read()]);
    await Promise.all([write(), write(), write()]).finally(() => (busy = false));
    await reading;
    expect((await listed())[0].classificationCount).toBe(60);
  });
});
