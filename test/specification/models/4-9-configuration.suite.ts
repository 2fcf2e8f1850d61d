import { getBody, givenOffice, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 4.9: the configuration of a model. */
export function configurationSuite(where: Where): void {
  const given = givenOffice(where);
  const target = (id: string) => `/api/v1/deployments/${id}`;
  const configuration = (id: string) => getBody(given.rest.get(`${target(id)}/configuration`), 200);

  it("has exactly these fields", async () => {
    const { office } = given;
    const read = await configuration(office.invoices);
    expect(Object.keys(read)).toEqual([
      "deployment",
      "extractionSchemaId",
      "version",
      "instructions",
      "tables",
      "columns",
      "extractionSettings",
      "updatedAt",
    ]);
    expect(read.deployment).toEqual({
      id: office.invoices,
      name: "Invoices",
      type: "MODEL",
      status: "ACTIVE",
      projectId: office.projectId,
    });
    expect(Object.keys(read.tables[0])).toEqual(["id", "slug", "name", "instructions", "isPrimary"]);
    expect(Object.keys(read.columns[0])).toEqual([
      ...["id", "tableId", "slug", "sharedId", "excludedFromExtraction", "name", "type", "description"],
      ...["isKey", "required", "enumValues", "synonyms", "index", "matching"],
    ]);
    expect(read.extractionSettings).toEqual({
      engine: "local",
      modelName: null,
      temperature: null,
      useExamples: true,
      numberOfExamples: 5,
    });
  });

  it("is read by the ID of a model, a deployment or an extraction schema", async () => {
    const { office } = given;
    const byModel = await configuration(office.invoices);
    const byDeployment = await configuration(office.deployment);
    const bySchema = await configuration(office.firstSchema);
    expect([byModel.version, byModel.extractionSchemaId]).toEqual([2, office.secondSchema]);
    expect(byDeployment).toEqual({
      ...bySchema,
      deployment: { ...bySchema.deployment, id: office.deployment, name: "Invoices, stable", type: "PRODUCTION" },
    });
    expect(bySchema).toMatchObject({
      version: 1,
      extractionSchemaId: office.firstSchema,
      deployment: byModel.deployment,
    });
    expect(await configuration(office.secondSchema)).toEqual(byModel);
  });

  it("of a model without a schema is empty", async () => {
    const path = `/api/v1/projects/${given.office.projectId}/deployments`;
    const bare = await getBody(given.rest.post(path, { name: "Bare", instructions: "Later" }), 201);
    expect(await configuration(bare.id)).toMatchObject({
      extractionSchemaId: null,
      version: 0,
      instructions: "Later",
      tables: [],
      columns: [],
    });
    expect(await getBody(given.rest.get(`${target(bare.id)}/configuration/versions`), 200)).toEqual({
      data: [],
      nextPageToken: null,
    });
    expect(await refusal(given.rest.post(`${target(bare.id)}/deployments`, { name: "x" }))).toBe(
      "400 MODEL_HAS_NO_SCHEMA deploymentId",
    );
  });

  it("of an unknown ID is 404", async () => {
    for (const id of ["mdl_none", given.office.projectId, given.office.classifier, "%7B%22$ne%22:null%7D"]) {
      expect(await refusal(given.rest.get(`${target(id)}/configuration`))).toBe(
        "404 DEPLOYMENT_NOT_FOUND deploymentId",
      );
    }
  });

  it("gets no new version if nothing changes, and a new one if older content is restored", async () => {
    const { office, rest } = given;
    const path = `${target(office.receipts)}/configuration`;
    const first = await configuration(office.receipts);
    const columns = [
      { slug: "company", name: "Company" },
      { slug: "date", name: "Date", type: "DATE" },
      { slug: "total", name: "Total", type: "NUMBER" },
    ];
    for (const body of [{}, { instructions: "" }, { columns }]) {
      expect(await getBody(rest.patch(path, body), 200)).toEqual(first);
    }
    const second = await getBody(rest.patch(path, { columns: columns.slice(0, 2) }), 200);
    const third = await getBody(rest.patch(path, { columns }), 200);
    expect([second.version, third.version]).toEqual([2, 3]);
    expect(third.columns.slice(0, 2)).toEqual(first.columns.slice(0, 2));
    expect(third.extractionSchemaId).not.toBe(first.extractionSchemaId);
    expect(await configuration(first.extractionSchemaId)).toEqual(first);
    const diff = await getBody(rest.get(`${path}:diff?from=1&to=3`), 200);
    expect(diff).toMatchObject({ parts: [], added: [], removed: [], changed: [] });
  });

  it("changes by any ID of the model, which also accepts new deployments", async () => {
    const { office, rest } = given;
    const versions: number[] = [];
    for (const [index, id] of [office.deployment, office.firstSchema, office.invoices].entries()) {
      const changed = await getBody(
        rest.patch(`${target(id)}/configuration`, { instructions: `Change ${index}` }),
        200,
      );
      expect(changed.deployment).toMatchObject({ id: office.invoices, type: "MODEL" });
      versions.push(changed.version);
    }
    expect(versions).toEqual([3, 4, 5]);
    expect((await configuration(office.deployment)).version).toBe(1);
    const current = (await configuration(office.invoices)).extractionSchemaId;
    for (const [index, id] of [office.deployment, office.firstSchema, office.invoices].entries()) {
      const made = await getBody(rest.post(`${target(id)}/deployments`, { name: `Deployment ${index}` }), 201);
      expect(made).toMatchObject({ deploymentId: office.invoices, extractionSchemaId: current, type: "PRODUCTION" });
      expect((await configuration(made.id)).version).toBe(5);
    }
  });
}
