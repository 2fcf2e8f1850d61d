import { finishedExtraction, sample } from "../../journeys/fixture.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

const firstColumns = ["invoice_number", "invoice_date", "total"];

/** Schemas are immutable versions. Documents are extracted with the schema that the route's deployment serves. */
export function versioningSuite(where: Where): void {
  const given = givenOffice(where);
  let thirdSchema: string;
  const target = (id: string) => `/api/v1/deployments/${id}`;
  const read = (id: string) => getBody(given.rest.get(`${target(id)}/configuration`), 200);
  const serve = (extractionSchemaId: string) =>
    getBody(given.rest.patch(target(given.office.deployment), { extractionSchemaId }), 200);

  beforeAll(async () => {
    const path = `${target(given.office.invoices)}/configuration`;
    const { columns, tables } = await getBody(given.rest.get(path), 200);
    const slugById = new Map(tables.map(({ id, slug }: any) => [id, slug]));
    const kept = columns.map(({ tableId, slug, name, type, synonyms }: any) => ({
      ...{ table: slugById.get(tableId), slug, name, type, synonyms },
    }));
    const added = { table: "invoice", slug: "customer_number", name: "Customer number" };
    thirdSchema = (await getBody(given.rest.patch(path, { columns: [...kept, added] }), 200)).extractionSchemaId;
  });

  /** Classifies the sample invoice, and returns the record and its finished extraction. */
  async function classified() {
    const path = `/api/v1/classify/${given.office.classifier}`;
    const bytes = await sample("invoice-harbour-lane.pdf");
    const record = await getBody(given.rest.upload(path, "invoice.pdf", bytes), 201);
    return { record, extraction: await finishedExtraction(given.rest, record.extraction.id) };
  }

  /** Asserts what every reader sees while the deployment serves a schema. */
  async function expectServed(schemaId: string, version: number, columns: readonly string[]) {
    const { office } = given;
    const { record, extraction } = await classified();
    const served = { targetDeploymentId: office.deployment, extractionSchemaId: schemaId };
    expect(record).toMatchObject({ status: "CLASSIFIED", deploymentId: office.invoices, ...served });
    expect(extraction).toMatchObject({ status: "COMPLETED", deploymentId: office.invoices, ...served });
    expect(Object.keys(extraction.tables[0].rows[0].values).sort()).toEqual([...columns].sort());
    expect(extraction.tables[0].rows[0].values).toMatchObject({ invoice_number: "HL-2026-0417", total: 1344 });
    expect(await read(office.deployment)).toMatchObject({
      version,
      extractionSchemaId: schemaId,
      deployment: { id: office.deployment, type: "PRODUCTION" },
    });
    expect(await read(office.invoices)).toMatchObject({ version: 3, extractionSchemaId: thirdSchema });
    expect(await read(schemaId)).toMatchObject({ version, deployment: { id: office.invoices, type: "MODEL" } });
    const { data } = await getBody(given.rest.get(`/api/v1/projects/${office.projectId}/deployments`), 200);
    expect(data[0]).toMatchObject({
      extractionSchemaId: thirdSchema,
      deployments: [{ id: office.deployment, extractionSchemaId: schemaId }],
    });
    return { record, extraction };
  }

  it("a route to a deployment uses the schema that it serves: the old one after changes, the new one after promotion, the old one after a rollback", async () => {
    const { office } = given;
    expect(new Set([office.firstSchema, office.secondSchema, thirdSchema]).size).toBe(3);
    const before = await expectServed(office.firstSchema, 1, firstColumns);
    expect(await serve(thirdSchema)).toMatchObject({
      id: office.deployment,
      type: "PRODUCTION",
      name: "Invoices, stable",
      extractionSchemaId: thirdSchema,
    });
    const promoted = await expectServed(thirdSchema, 3, [...firstColumns, "iban", "customer_number"]);
    await serve(office.firstSchema);
    await expectServed(office.firstSchema, 1, firstColumns);
    for (const { record, extraction } of [before, promoted]) {
      const path = `/api/v1/classify/${office.classifier}/classifications/${record.id}`;
      expect(await getBody(given.rest.get(path), 200)).toMatchObject({ extractionSchemaId: record.extractionSchemaId });
      expect(await getBody(given.rest.get(`/api/v1/extractions/${extraction.id}`), 200)).toEqual(extraction);
    }
  });

  it("a file is extracted by the schema that the ID in the path refers to", async () => {
    const { rest, office } = given;
    const bytes = await sample("invoice-harbour-lane.pdf");
    const file = await getBody(rest.upload(`/api/v1/projects/${office.projectId}/files`, "i.pdf", bytes), 201);
    const cases = [
      [office.invoices, thirdSchema, null],
      [office.deployment, office.firstSchema, office.deployment],
      [office.secondSchema, office.secondSchema, null],
    ] as const;
    for (const [id, extractionSchemaId, targetDeploymentId] of cases) {
      const started = await getBody(rest.post(`${target(id)}/extractions`, { fileId: file.id }), 201);
      const expected = { status: "COMPLETED", deploymentId: office.invoices, extractionSchemaId, targetDeploymentId };
      expect(await finishedExtraction(rest, started.id)).toMatchObject(expected);
    }
  });

  it("the history of a model is listed by any of its IDs, newest first, in pages", async () => {
    const { rest, office } = given;
    const path = (id: string) => `${target(id)}/configuration/versions`;
    const { data, nextPageToken } = await getBody(rest.get(path(office.invoices)), 200);
    expect(nextPageToken).toBeNull();
    const served = [{ id: office.deployment, name: "Invoices, stable" }];
    expect(data).toEqual(
      [
        { extractionSchemaId: thirdSchema, version: 3, isCurrent: true, servedBy: [], columnCount: 9 },
        { extractionSchemaId: office.secondSchema, version: 2, isCurrent: false, servedBy: [], columnCount: 8 },
        { extractionSchemaId: office.firstSchema, version: 1, isCurrent: false, servedBy: served, columnCount: 7 },
      ].map((version) => ({
        ...version,
        tableCount: 2,
        createdAt: expect.any(String),
        createdBy: expect.stringMatching(/^usr_/),
      })),
    );
    for (const id of [office.deployment, office.firstSchema]) {
      expect((await getBody(rest.get(path(id)), 200)).data).toEqual(data);
    }
    const first = await getBody(rest.get(`${path(office.invoices)}?limit=2`), 200);
    const rest2 = await getBody(rest.get(`${path(office.invoices)}?limit=2&pageToken=${first.nextPageToken}`), 200);
    expect([...first.data, ...rest2.data]).toEqual(data);
    expect(rest2.nextPageToken).toBeNull();
    expect(await refusal(rest.get(`${path(office.receipts)}?pageToken=${first.nextPageToken}`))).toBe(
      "400 INVALID_REQUEST pageToken",
    );
    for (const limit of ["0", "501", "x"]) {
      expect(await refusal(rest.get(`${path(office.invoices)}?limit=${limit}`))).toBe("400 INVALID_REQUEST limit");
    }
  });

  it("two versions are compared by schema ID or version number, by default with the one of the path", async () => {
    const { rest, office } = given;
    const diff = (id: string, query: string) => rest.get(`${target(id)}/configuration:diff?${query}`);
    const promoted = await getBody(diff(office.invoices, "from=1"), 200);
    expect(Object.keys(promoted)).toEqual(["from", "to", "parts", "added", "removed", "changed"]);
    expect(promoted).toMatchObject({
      from: { extractionSchemaId: office.firstSchema, version: 1 },
      to: { extractionSchemaId: thirdSchema, version: 3 },
      parts: ["columns"],
      added: [
        { table: "invoice", slug: "iban", fields: [], before: null, after: { name: "IBAN" } },
        { table: "invoice", slug: "customer_number", before: null },
      ],
      removed: [],
      changed: [],
    });
    const back = await getBody(diff(office.deployment, `from=${thirdSchema}`), 200);
    expect(back).toMatchObject({ to: { version: 1 }, added: [], removed: [{ slug: "iban" }, { after: null }] });
    expect(await getBody(diff(office.firstSchema, "from=2&to=2"), 200)).toMatchObject({ parts: [], added: [] });
    const { extractionSchemaId: foreign } = await read(office.receipts);
    expect(await refusal(diff(office.invoices, "to=1"))).toBe("400 INVALID_REQUEST from");
    expect(await refusal(diff(office.invoices, "from=1&to=2&to=3"))).toBe("400 INVALID_REQUEST to");
    expect(await refusal(diff(office.invoices, "from=9"))).toBe("404 SCHEMA_NOT_FOUND from");
    expect(await refusal(diff(office.invoices, `from=1&to=${office.deployment}`))).toBe("404 SCHEMA_NOT_FOUND to");
    expect(await refusal(diff(office.invoices, `from=${foreign}`))).toBe("400 SCHEMA_OF_ANOTHER_MODEL from");
  });

  it("a deployment cannot serve an unknown schema or one of another model, and a model serves none", async () => {
    const { rest, office } = given;
    const { extractionSchemaId: foreign } = await read(office.receipts);
    const change = (id: string, extractionSchemaId: unknown) => rest.patch(target(id), { extractionSchemaId });
    const field = "extractionSchemaId";
    expect(await refusal(change(office.deployment, "sch_none"))).toBe(`404 SCHEMA_NOT_FOUND ${field}`);
    expect(await refusal(change(office.deployment, office.invoices))).toBe(`404 SCHEMA_NOT_FOUND ${field}`);
    expect(await refusal(change(office.deployment, foreign))).toBe(`400 SCHEMA_OF_ANOTHER_MODEL ${field}`);
    for (const wrong of ["", null, 1, { $ne: null }]) {
      expect(await refusal(change(office.deployment, wrong))).toBe(`400 INVALID_REQUEST ${field}`);
    }
    for (const id of [office.invoices, office.firstSchema]) {
      expect(await refusal(change(id, office.firstSchema))).toBe(`400 INVALID_REQUEST ${field}`);
    }
    expect((await read(office.deployment)).extractionSchemaId).toBe(office.firstSchema);
  });
}
