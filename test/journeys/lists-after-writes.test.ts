import { givenOffice } from "../specification/testing/office.ts";

// A server that owns its database caches lists, see decision 33. They must show every write whose response was received.
describe("lists of classifiers in a server that owns its database", () => {
  const given = givenOffice();

  const path = () => `/api/v1/classify?projectId=${given.office.projectId}`;
  const listed = async (): Promise<any[]> => (await given.rest.get(path())).body;

  it("show every change that was made before", async () => {
    const { projectId, classifier, invoices } = given.office;
    const names = async () => {
      const all = await listed();
      expect((await given.rest.get(`${path()}&limit=1`)).body).toEqual(all.slice(0, 1));
      return all.map(({ name }) => name);
    };
    const [present] = await names();
    const added = (await given.rest.post("/api/v1/classify", { projectId, name: "Added" })).body.id;
    expect(await names()).toEqual(["Added", present]);
    const own = `/api/v1/classify/${added}`;
    await given.rest.patch(own, { name: "Renamed" });
    expect(await names()).toEqual(["Renamed", present]);
    const route = (await given.rest.post(`${own}/routes`, { deploymentId: invoices })).body;
    expect((await listed())[0].deploymentRoutes).toMatchObject([{ id: route.id }]);
    await given.rest.patch(`/api/v1/deployments/${invoices}`, { name: "Invoices, renamed" });
    expect((await listed())[0].deploymentRoutes[0].deployment.name).toBe("Invoices, renamed");
    await given.rest.post(`${own}:makeGlobal`);
    expect((await listed())[0]).toMatchObject({ isGlobal: true, projectId: null });
    await given.rest.send(`${own}/routes/${route.id}`, { method: "DELETE" });
    // A global classifier without a route into the project is not in its list.
    expect(await names()).toEqual([present]);
    const classified = await given.rest.post(`/api/v1/classify/${classifier}`, { text: "Nothing", extract: false });
    expect(classified.status).toBe(201);
    expect((await listed())[0].classificationCount).toBe(1);
    await given.rest.send(`/api/v1/classify/${classifier}`, { method: "DELETE" });
    expect(await names()).toEqual([]);
  });

  it("count every classification that was answered, while others read and write", async () => {
    const { projectId } = given.office;
    const { id } = (await given.rest.post("/api/v1/classify", { projectId, name: "Counted" })).body;
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
        const response = await given.rest.post(`/api/v1/classify/${id}`, { text: "Nothing", extract: false });
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
