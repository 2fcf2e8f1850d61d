import { createRest } from "../../rest.ts";
import { getBody, givenOffice, refusal, rounds } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 4.8: the models of a project. */
export function modelSuite(where: Where): void {
  const given = givenOffice(where);
  const models = (projectId = given.office.projectId) => `/api/v1/projects/${projectId}/deployments`;
  const target = (id: string) => `/api/v1/deployments/${id}`;
  const listed = async (id: string, projectId?: string) => {
    const { data } = await getBody(given.rest.get(models(projectId)), 200);
    return data.find((model: any) => model.id === id);
  };
  const newProject = async (name: string): Promise<string> =>
    (await getBody(given.rest.post("/api/v1/projects", { name }), 201)).id;
  const schema = { tables: [{ slug: "main" }], columns: [{ slug: "a" }] };

  it("are listed in order of creation with exactly these fields", async () => {
    const { data } = await getBody(given.rest.get(models()), 200);
    expect(data.map(({ name }: any) => name)).toEqual(["Invoices", "Receipts"]);
    const { office } = given;
    expect(data[0]).toEqual({
      id: office.invoices,
      name: "Invoices",
      type: "MODEL",
      status: "ACTIVE",
      projectId: office.projectId,
      extractionSchemaId: office.secondSchema,
      tableCount: 2,
      deployments: [
        { id: office.deployment, name: "Invoices, stable", status: "ACTIVE", extractionSchemaId: office.firstSchema },
      ],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it("have a status that lists can be filtered by", async () => {
    const projectId = await newProject("Filtered");
    const bare = await getBody(given.rest.post(models(projectId), { name: "Bare" }), 201);
    expect(bare).toMatchObject({ extractionSchemaId: null, tableCount: 0, deployments: [] });
    await getBody(given.rest.post(`${target(bare.id)}:pause`), 200);
    const names = async (query: string) =>
      (await getBody(given.rest.get(`${models(projectId)}${query}`), 200)).data.map(({ name }: any) => name);
    expect(await names("?status=PAUSED")).toEqual(["Bare"]);
    expect(await names("?status=ACTIVE")).toEqual([]);
    expect(await refusal(given.rest.get(`${models(projectId)}?status=DELETED`))).toBe("400 INVALID_REQUEST status");
    expect(await refusal(given.rest.get(`${models(projectId)}?name=Bare`))).toBe("400 INVALID_REQUEST name");
  });

  it("can be paused and resumed repeatedly, which changes them once", async () => {
    const { office, rest } = given;
    for (const id of [office.receipts, office.deployment]) {
      const before = await getBody(rest.post(`${target(id)}:resume`), 200);
      expect(before.status).toBe("ACTIVE");
      const paused = await getBody(rest.post(`${target(id)}:pause`), 200);
      expect(paused).toMatchObject({ id, status: "PAUSED", name: before.name });
      expect(await getBody(rest.post(`${target(id)}:pause`), 200)).toEqual(paused);
      const resumed = await getBody(rest.post(`${target(id)}:resume`), 200);
      expect(resumed.status).toBe("ACTIVE");
      expect(await getBody(rest.post(`${target(id)}:resume`), 200)).toEqual(resumed);
    }
    // The response has the same fields as in lists, and the deployments.
    const model = await getBody(rest.post(`${target(office.invoices)}:pause`), 200);
    expect(model.deployments.map(({ id }: any) => id)).toEqual([office.deployment]);
    expect(model).toEqual(await listed(office.invoices));
    await getBody(rest.post(`${target(office.invoices)}:resume`), 200);
    const schemaId = (await listed(office.receipts)).extractionSchemaId;
    expect((await getBody(rest.post(`${target(schemaId)}:pause`), 200)).id).toBe(office.receipts);
    expect((await getBody(rest.post(`${target(schemaId)}:resume`), 200)).status).toBe("ACTIVE");
  });

  describe("names", () => {
    it("are unique in a project, regardless of case and white space, but not across projects", async () => {
      const one = await newProject("Names 1");
      const another = await newProject("Names 2");
      await getBody(given.rest.post(models(one), { name: "  Straße " }), 201);
      for (const name of ["Straße", "STRASSE", "straße  "]) {
        expect(await refusal(given.rest.post(models(one), { name }))).toBe("409 NAME_TAKEN");
      }
      expect((await getBody(given.rest.post(models(another), { name: "Straße" }), 201)).name).toBe("Straße");
      const other = await getBody(given.rest.post(models(one), { name: "Other" }), 201);
      expect(await refusal(given.rest.patch(target(other.id), { name: "strasse" }))).toBe("409 NAME_TAKEN");
      expect((await getBody(given.rest.patch(target(other.id), { name: " OTHER " }), 200)).name).toBe("OTHER");
    });

    it("of deployments are unique in their model only", async () => {
      const { office, rest } = given;
      const path = (model: string) => `${target(model)}/deployments`;
      expect(await refusal(rest.post(path(office.invoices), { name: "INVOICES, STABLE" }))).toBe("409 NAME_TAKEN");
      const other = await getBody(rest.post(path(office.receipts), { name: "Invoices, stable" }), 201);
      await getBody(rest.send(target(other.id), { method: "DELETE" }), 204);
    });

    it.each([
      ["", "400 INVALID_REQUEST name"],
      [" \t ", "400 INVALID_REQUEST name"],
      ["x".repeat(121), "400 INVALID_REQUEST name"],
    ])("have 1 to 120 characters: not %p", async (name, expected) => {
      expect(await refusal(given.rest.post(models(), { name }))).toBe(expected);
      expect(await refusal(given.rest.patch(target(given.office.invoices), { name }))).toBe(expected);
      expect(await refusal(given.rest.post(`${target(given.office.invoices)}/deployments`, { name }))).toBe(expected);
    });

    it("are given to exactly one of two concurrent requests", async () => {
      const projectId = await newProject("Races");
      const model = await getBody(given.rest.post(models(projectId), { name: "Host", ...schema }), 201);
      const outcome = async (...responses: ReturnType<typeof given.rest.post>[]) =>
        (await Promise.all(responses)).map(({ status, body }: any) => `${status} ${body.code ?? ""}`.trim()).sort();
      for (let round = 0; round < rounds; round += 1) {
        const create = (name: string) => given.rest.post(models(projectId), { name });
        expect(await outcome(create(`Model ${round}`), create(`MODEL ${round} `))).toEqual(["201", "409 NAME_TAKEN"]);
        const deploy = (name: string) => given.rest.post(`${target(model.id)}/deployments`, { name });
        expect(await outcome(deploy(`Dep ${round}`), deploy(`dep ${round}`))).toEqual(["201", "409 NAME_TAKEN"]);
        const [left, right] = await Promise.all(["l", "r"].map((name) => getBody(create(`${name}${round}`), 201)));
        const rename = (id: string, name: string) => given.rest.patch(target(id), { name });
        expect(await outcome(rename(left.id, `One ${round}`), rename(right.id, `ONE ${round}`))).toEqual([
          "200",
          "409 NAME_TAKEN",
        ]);
      }
      const { data } = await getBody(given.rest.get(models(projectId)), 200);
      const folded = data.map(({ name }: any) => name.toLowerCase());
      expect(new Set(folded).size).toBe(folded.length);
      expect(folded).toHaveLength(1 + 3 * rounds);
    });
  });

  describe("changes", () => {
    it("without fields change nothing, including updatedAt", async () => {
      const { office, rest } = given;
      for (const id of [office.invoices, office.deployment, office.firstSchema]) {
        const first = await getBody(rest.patch(target(id), {}), 200);
        expect(await getBody(rest.patch(target(id), { name: first.name }), 200)).toEqual(first);
        expect(await getBody(rest.patch(target(id), {}), 200)).toEqual(first);
      }
      const model = await listed(office.invoices);
      expect((await getBody(rest.patch(target(office.firstSchema), {}), 200)).id).toBe(model.id);
    });

    it("reject null for every field, because none can be cleared", async () => {
      const { office, rest } = given;
      expect(await refusal(rest.patch(target(office.deployment), { name: null, extractionSchemaId: null }))).toBe(
        "400 INVALID_REQUEST name extractionSchemaId",
      );
    });

    it("of foreign or unknown models are refused before any other check", async () => {
      const outsider = createRest(given.system.url, await given.system.anotherOrganization("Elsewhere"));
      const { office } = given;
      for (const id of [office.invoices, office.deployment, office.firstSchema]) {
        const path = target(id);
        const expected = "404 DEPLOYMENT_NOT_FOUND deploymentId";
        expect(await refusal(outsider.patch(path, { name: "" }))).toBe(expected);
        expect(await refusal(outsider.send(path, { method: "DELETE" }))).toBe(expected);
        expect(await refusal(outsider.get(`${path}/configuration/versions`))).toBe(expected);
        expect(await refusal(outsider.get(`${path}/configuration:diff?from=1`))).toBe(expected);
        expect(await refusal(outsider.post(`${path}:pause`))).toBe(expected);
      }
      expect(await refusal(given.rest.patch(target("dep_none"), { name: "x" }))).toBe(
        "404 DEPLOYMENT_NOT_FOUND deploymentId",
      );
    });
  });

  describe("deletion", () => {
    it("requires that the deployments of a model are deleted first, and releases its name", async () => {
      const { rest } = given;
      const projectId = await newProject("Deletion");
      const model = await getBody(rest.post(models(projectId), { name: "Short-lived", ...schema }), 201);
      const deployment = await getBody(rest.post(`${target(model.id)}/deployments`, { name: "Main" }), 201);
      const remove = (id: string) => rest.send(target(id), { method: "DELETE" });
      expect(await refusal(remove(model.id))).toBe("409 HAS_DEPLOYMENTS");
      expect(await refusal(remove(model.extractionSchemaId))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
      const gone = await remove(deployment.id);
      expect([gone.status, gone.text]).toEqual([204, ""]);
      expect((await listed(model.id, projectId)).deployments).toEqual([]);
      await getBody(remove(model.id), 204);
      expect(await refusal(remove(model.id))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
      for (const id of [model.id, deployment.id, model.extractionSchemaId]) {
        expect(await refusal(rest.get(`${target(id)}/configuration`))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
      }
      expect(await listed(model.id, projectId)).toBeUndefined();
      await getBody(rest.post(models(projectId), { name: "SHORT-LIVED" }), 201);
    });
  });
}
