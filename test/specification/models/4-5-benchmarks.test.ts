import { eventually } from "@switchyard/storage/testing";
import { finishedExtraction, sample } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { acceptedInvoice, getEvents, finishedExecution } from "../testing/benchmarks.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("2.4, 3, 4.5, 4.6 benchmark executions", () => {
  const given = givenOffice();
  const runs = (projectId = given.office.projectId) => `/api/v1/projects/${projectId}/benchmarks`;
  const run = (body: Record<string, unknown> = {}, rest: Rest = given.rest) =>
    rest.post(runs(), { deploymentId: given.office.invoices, name: "Nightly", ...body });
  const execution = (id: string) => `/api/v1/benchmarks/${id}`;
  const remove = (id: string) => given.rest.send(execution(id), { method: "DELETE" });
  const finished = (id: string) => finishedExecution(given.rest, id);
  let files: string[];

  beforeAll(async () => {
    files = [];
    for (const name of ["invoice-harbour-lane.pdf", "invoice-brightwater.pdf"]) {
      files.push(await acceptedInvoice(given.rest, given.office, name, await sample(name)));
    }
    files.sort();
  });

  it("cannot be created without accepted files", async () => {
    expect(await refusal(run({ deploymentId: given.office.receipts }))).toBe("400 NO_ACCEPTED_FILES fileIds");
  });

  describe("creation", () => {
    it("responds with 201 and exactly four fields, over all accepted files by default", async () => {
      const response = await run();
      expect(response.status).toBe(201);
      const { executionId } = response.body;
      expect(response.headers.get("location")).toBe(execution(executionId));
      expect(response.body).toEqual({
        executionId: expect.stringMatching(/^bmk_/),
        deploymentId: given.office.invoices,
        fileCount: 2,
        status: "RUNNING",
      });
      expect((await finished(executionId)).status).toBe("COMPLETED");
    });

    it.each(["deployment", "firstSchema", "secondSchema", "projectId", "none"] as const)(
      "refuses a %s in place of the model with 404",
      async (kind) => {
        const id = kind === "none" ? "mdl_none" : given.office[kind];
        expect(await refusal(run({ deploymentId: id }))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
      },
    );

    it("refuses a model of another project or organization with 404", async () => {
      const { id } = await getBody(given.rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
      const body = { deploymentId: given.office.invoices, name: "Run" };
      expect(await refusal(given.rest.post(runs(id), body))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
      const outsider = createRest(given.system.url, await given.system.anotherOrganization("Outsider"));
      expect(await refusal(outsider.post(runs(), body))).toBe("404 PROJECT_NOT_FOUND projectId");
      const own = await getBody(outsider.post("/api/v1/projects", { name: "Own" }), 201);
      expect(await refusal(outsider.post(runs(own.id), body))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    });

    it("refuses invalid values before it checks the model", async () => {
      const long = "x".repeat(2_001);
      expect(await refusal(run({ name: " ", deploymentId: "mdl_none" }))).toBe("400 INVALID_REQUEST name");
      expect(await refusal(run({ name: "x".repeat(121) }))).toBe("400 INVALID_REQUEST name");
      expect(await refusal(run({ description: long }))).toBe("400 INVALID_REQUEST description");
      expect(await refusal(run({ deploymentId: undefined }))).toBe("400 INVALID_REQUEST deploymentId");
      expect(await refusal(run({ fileIds: ["fil_1", "fil_1"] }))).toBe("400 INVALID_REQUEST fileIds[1]");
      expect(await refusal(run({ fileIds: Array.from({ length: 10_001 }, (_, n) => `fil_${n}`) }))).toBe(
        "400 INVALID_REQUEST fileIds",
      );
      expect(await refusal(run({ status: "COMPLETED" }))).toBe("400 INVALID_REQUEST status");
    });

    it("accepts only files of the project that are accepted for the model", async () => {
      const { projectId, receipts } = given.office;
      const text = Buffer.from("Nothing accepted");
      const plain = await getBody(given.rest.upload(`/api/v1/projects/${projectId}/files`, "a.txt", text), 201);
      expect(await refusal(run({ fileIds: [files[0], "fil_none"] }))).toBe("404 FILE_NOT_FOUND fileIds[1]");
      expect(await refusal(run({ fileIds: [files[0], plain.id] }))).toBe("400 FILE_NOT_ACCEPTED fileIds[1]");
      expect(await refusal(run({ deploymentId: receipts, fileIds: [files[0]] }))).toBe(
        "400 FILE_NOT_ACCEPTED fileIds[0]",
      );
      const { executionId, fileCount } = await getBody(run({ fileIds: [files[1]] }), 201);
      expect(fileCount).toBe(1);
      expect((await finished(executionId)).fileIds).toEqual([files[1]]);
    });

    it("runs the given version of the model's configuration, and refuses that of another model with 404", async () => {
      const { deployment, firstSchema, secondSchema, invoices, receipts } = given.office;
      const other = await getBody(given.rest.get(`/api/v1/deployments/${receipts}/configuration`), 200);
      for (const id of ["sch_none", "", other.extractionSchemaId, invoices, deployment])
        expect(await refusal(run({ extractionSchemaId: id }))).toBe("404 SCHEMA_NOT_FOUND extractionSchemaId");
      for (const [schema, body] of [
        [firstSchema, { extractionSchemaId: firstSchema }],
        [secondSchema, {}],
      ] as const) {
        const { executionId } = await getBody(run(body), 201);
        expect(await finished(executionId)).toMatchObject({
          extractionSchemaId: schema,
          configuration: { extractionSchemaId: schema },
        });
      }
    });

    it("refuses a model without a schema with 400", async () => {
      const { id } = await getBody(
        given.rest.post(`/api/v1/projects/${given.office.projectId}/deployments`, { name: "Bare" }),
        201,
      );
      expect(await refusal(run({ deploymentId: id }))).toBe("400 MODEL_HAS_NO_SCHEMA deploymentId");
    });
  });

  it("require permission to run or read them, and access to the project", async () => {
    const { id: elsewhere } = await getBody(given.rest.post("/api/v1/projects", { name: "Closed" }), 201);
    const tokenWith = async (permissions: string[], projectId: string): Promise<Rest> => {
      const body = { name: "Small", scope: "PROJECT", projectId, permissions };
      return createRest(given.system.url, (await getBody(given.rest.post("/api/v1/tokens", body), 201)).secret);
    };
    const { executionId } = await getBody(run(), 201);
    const reader = await tokenWith(["benchmarks:read"], given.office.projectId);
    await getBody(reader.get(runs()), 200);
    expect((await refusal(run({}, reader))).slice(0, 3)).toBe("403");
    expect((await refusal(reader.post(`${execution(executionId)}:cancel`))).slice(0, 3)).toBe("403");
    const runner = await tokenWith(["benchmarks:run"], given.office.projectId);
    expect((await refusal(runner.get(runs()))).slice(0, 3)).toBe("403");
    const outside = await tokenWith(["benchmarks:read", "benchmarks:run"], elsewhere);
    for (const response of [outside.get(runs()), run({}, outside), outside.get(execution(executionId))]) {
      expect(await refusal(response)).toBe("403 PROJECT_OUT_OF_REACH");
    }
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Others"));
    for (const path of ["", "/metrics", "/files", "/events", `/files/${files[0]}`]) {
      expect(await refusal(outsider.get(`${execution(executionId)}${path}`))).toBe(
        "404 EXECUTION_NOT_FOUND executionId",
      );
    }
    expect((await createRest(given.system.url).get(runs())).status).toBe(401);
  });

  it("are all listed, with exactly nine fields, newest first", async () => {
    const project = await getBody(given.rest.post("/api/v1/projects", { name: "Without runs" }), 201);
    expect(await getBody(given.rest.get(runs(project.id)), 200)).toEqual({ data: [] });
    const created: any[] = [];
    // No more requests than are accepted concurrently, because others may get 503.
    while (created.length < 54) {
      const more = Array.from({ length: 18 }, () => getBody(run({ name: "One of many", fileIds: [files[0]] }), 201));
      created.push(...(await Promise.all(more)));
    }
    created.push(await getBody(run({ name: " The last ", description: "One more", fileIds: [files[0]] }), 201));
    // IDs sort by creation.
    const ids: string[] = created
      .map(({ executionId }) => executionId)
      .sort()
      .reverse();
    const { data } = await getBody(given.rest.get(runs()), 200);
    expect(data.slice(0, 55).map(({ id }: any) => id)).toEqual(ids);
    expect(data.length).toBeGreaterThan(55);
    const { createdBy } = data[0];
    expect(data[0]).toEqual({
      id: ids[0],
      name: "The last",
      description: "One more",
      status: expect.stringMatching(/^(RUNNING|COMPLETED)$/),
      fileCount: 1,
      deploymentId: given.office.invoices,
      deploymentName: "Invoices",
      createdAt: expect.stringMatching(iso),
      createdBy: expect.stringMatching(/^usr_/),
    });
    expect((await getBody(given.rest.get("/api/v1/me"), 200)).user.id).toBe(createdBy);
    expect(data[1].description).toBe("");
    for (const id of ids) await getBody(given.rest.post(`${execution(id)}:cancel`), 200);
  });

  it("show the inputs of their creation, and score each cell", async () => {
    const { executionId } = await getBody(run({ fileIds: files }), 201);
    // Changes after the creation have no effect.
    const [first] = files;
    const path = `/api/v1/files/${first}/accepted-values`;
    const { tables } = await getBody(given.rest.get(`${path}?deploymentId=${given.office.invoices}`), 200);
    const put = (values: unknown) =>
      given.rest.send(path, {
        method: "PUT",
        body: JSON.stringify({ deploymentId: given.office.invoices, tables: values }),
        headers: { "content-type": "application/json" },
      });
    await getBody(
      put([{ slug: "invoice", rows: [{ values: { total: 1, iban: "none", invoice_number: null } }] }]),
      200,
    );
    const done = await finished(executionId);
    expect(done).toMatchObject({
      status: "COMPLETED",
      projectId: given.office.projectId,
      fileIds: files,
      progress: { total: 2, done: 2, failed: 0 },
      configuration: { extractionSchemaId: given.office.secondSchema },
      engine: { name: "local", version: expect.any(String) },
      startedAt: expect.stringMatching(iso),
      completedAt: expect.stringMatching(iso),
      error: null,
    });
    const metrics = await getBody(given.rest.get(`${execution(executionId)}/metrics`), 200);
    expect(metrics.aggregated).toMatchObject({ successRate: 1, f1: 1, anls: 1, exactFileRate: 1, totalFiles: 2 });
    expect(metrics.byColumn.map(({ slug }: any) => slug)).toEqual([
      "invoice_number",
      "invoice_date",
      "total",
      "iban",
      "description",
      "quantity",
      "unit_price",
      "amount",
    ]);
    expect(metrics.latency.max).toBeGreaterThan(0);

    const second = await getBody(run({ fileIds: [first] }), 201);
    expect((await finished(second.executionId)).status).toBe("COMPLETED");
    const results = `${execution(second.executionId)}/files`;
    const { cells, ...summary } = await getBody(given.rest.get(`${results}/${first}`), 200);
    expect(await getBody(given.rest.get(results), 200)).toEqual({ data: [summary], nextPageToken: null });
    expect(summary).toMatchObject({ fileId: first, status: "SCORED", exact: false, excludedFileIds: [first] });
    const cell = (column: string) => cells.find((candidate: any) => candidate.column === column);
    expect(cell("total")).toMatchObject({ table: "invoice", row: 0, expected: 1, outcome: "WRONG" });
    expect(cell("iban")).toMatchObject({ expected: "none", outcome: expect.stringMatching(/^(WRONG|MISSING)$/) });
    expect(cell("invoice_number")).toMatchObject({ expected: null, outcome: "INVENTED", similarity: 0 });
    await getBody(put(tables), 200);
  });

  it("list the results of files in pages", async () => {
    const { executionId } = await getBody(run({ fileIds: files }), 201);
    await finished(executionId);
    const path = `${execution(executionId)}/files`;
    const first = await getBody(given.rest.get(`${path}?limit=1`), 200);
    const second = await getBody(given.rest.get(`${path}?limit=1&pageToken=${first.nextPageToken}`), 200);
    expect([...first.data, ...second.data].map(({ fileId }: any) => fileId)).toEqual(files);
    expect(second.nextPageToken).toBeNull();
    expect(await getBody(given.rest.get(`${path}?status=FAILED`), 200)).toEqual({ data: [], nextPageToken: null });
    expect(await refusal(given.rest.get(`${path}/fil_none`))).toBe("404 RESULT_NOT_FOUND fileId");
  });

  it("complete despite unreadable files, and fail if there are no others", async () => {
    const { rest, office } = given;
    const upload = (name: string, bytes: Uint8Array) =>
      getBody(rest.upload(`/api/v1/projects/${office.projectId}/files`, name, bytes), 201);
    const broken = await upload("broken.pdf", Buffer.from("%PDF-1.7\nnothing of it"));
    expect(broken.status).toBe("UNREADABLE");
    await getBody(
      rest.send(`/api/v1/files/${broken.id}/accepted-values`, {
        method: "PUT",
        body: JSON.stringify({
          deploymentId: office.invoices,
          tables: [{ slug: "invoice", rows: [{ values: { total: 1, invoice_number: "A" } }] }],
        }),
        headers: { "content-type": "application/json" },
      }),
      200,
    );
    const some = await getBody(run({ fileIds: [files[0], broken.id] }), 201);
    expect(await finished(some.executionId)).toMatchObject({
      status: "COMPLETED",
      progress: { total: 2, done: 2, failed: 1 },
    });
    const result = await getBody(rest.get(`${execution(some.executionId)}/files/${broken.id}`), 200);
    expect(result).toMatchObject({ status: "FAILED", error: { code: "UNREADABLE_FILE" }, extractMs: null, anls: 0 });
    expect(result.outcomes).toMatchObject({ missing: 2, correct: 0 });
    const none = await getBody(run({ fileIds: [broken.id] }), 201);
    expect(await finished(none.executionId)).toMatchObject({ status: "FAILED", error: { code: "NO_FILE_SCORED" } });
    await getBody(rest.send(`/api/v1/files/${broken.id}`, { method: "DELETE" }), 204);
  });

  it("do not score cells that are not labeled, and leave files without any labeled cell out", async () => {
    const { rest, office } = given;
    const accept = async (text: string, tables: unknown): Promise<string> => {
      const path = `/api/v1/projects/${office.projectId}/files`;
      const { id } = await getBody(rest.upload(path, "partly.txt", Buffer.from(text)), 201);
      await getBody(
        rest.send(`/api/v1/files/${id}/accepted-values`, {
          method: "PUT",
          body: JSON.stringify({ deploymentId: office.invoices, tables }),
          headers: { "content-type": "application/json" },
        }),
        200,
      );
      return id as string;
    };
    const invoice = (values: object) => [{ slug: "invoice", rows: [{ values }] }];
    const partly = await accept("Invoice\nInvoice number: A-17\nTotal: 12.50", invoice({ iban: null }));
    const unlabeled = await accept("Invoice\nInvoice number: A-18\nTotal: 13.50", invoice({}));
    const { executionId } = await getBody(run({ fileIds: [partly, unlabeled] }), 201);
    expect(await finished(executionId)).toMatchObject({
      status: "COMPLETED",
      progress: { total: 2, done: 2, failed: 0 },
    });
    const path = execution(executionId);
    const { aggregated, byColumn, byTable } = await getBody(rest.get(`${path}/metrics`), 200);
    expect(aggregated).toMatchObject({
      totalFiles: 1,
      leftOutFiles: 1,
      totalCells: 1,
      successRate: 1,
      exactFileRate: 1,
    });
    expect(byTable[1]).toMatchObject({ slug: "line_items", successRate: null, f1: null });
    for (const column of byColumn) {
      const rate = column.slug === "iban" ? 1 : null;
      expect(column).toMatchObject({ successRate: rate, precision: null, recall: null, f1: null, support: 0 });
    }
    const { data } = await getBody(rest.get(`${path}/files?status=LEFT_OUT`), 200);
    expect(data).toMatchObject([
      { fileId: unlabeled, status: "LEFT_OUT", error: null, successRate: null, anls: null, extractMs: null },
    ]);
    const { cells } = await getBody(rest.get(`${path}/files/${partly}`), 200);
    expect(cells.map(({ column, outcome }: any) => [column, outcome])).toEqual([["iban", "CORRECTLY_EMPTY"]]);
    const nothing = await getBody(run({ fileIds: [unlabeled] }), 201);
    expect(await finished(nothing.executionId)).toMatchObject({ status: "FAILED", error: { code: "NO_FILE_SCORED" } });
    for (const id of [partly, unlabeled]) await getBody(rest.send(`/api/v1/files/${id}`, { method: "DELETE" }), 204);
  });

  it("are scored by the matching of the version that they run, as corrections are, and say what typing they save", async () => {
    const { rest } = given;
    const total = { slug: "total", name: "Total", type: "NUMBER" };
    const columns = (matching: object | null) => [
      { ...total, matching },
      { slug: "iban", name: "IBAN" },
    ];
    const { id, extractionSchemaId: strict } = await getBody(
      rest.post(`/api/v1/projects/${given.office.projectId}/deployments`, {
        name: "Tolerant",
        tables: [{ slug: "till" }],
        columns: columns(null).map(({ matching: _, ...column }: any) => column),
        extractionSettings: { useExamples: false },
      }),
      201,
    );
    const text = Buffer.from("RECEIPT\nTea 100.00\nTotal 100.00\n");
    const { id: fileId } = await getBody(
      rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "t.txt", text),
      201,
    );
    /** Accepts 101 for the extracted 100. Returns the number of corrections in the audit trail. */
    async function accept(): Promise<unknown> {
      const extraction = await getBody(rest.post(`/api/v1/deployments/${id}/extractions`, { fileId }), 201);
      expect((await finishedExtraction(rest, extraction.id)).tables[0].rows[0].values.total).toBe(100);
      const corrections = [{ table: "till", row: 0, column: "total", value: 101 }];
      const accepted = await getBody(rest.post(`/api/v1/extractions/${extraction.id}:accept`, { corrections }), 200);
      expect(accepted.tables[0].rows[0].values).toEqual({ total: 101, iban: null });
      const find = async () => {
        const { data } = await getBody(rest.get(`/api/v1/audit?targetId=${fileId}`), 200);
        return data.find(({ changes }: any) => changes.extractionId === extraction.id)?.changes.corrections;
      };
      return eventually("the audit entry", find);
    }
    async function measure(): Promise<any> {
      const { executionId } = await getBody(run({ deploymentId: id }), 201);
      return finished(executionId);
    }
    expect(await accept()).toBe(1);
    const before = await measure();
    expect(before).toMatchObject({ extractionSchemaId: strict, usage: null, savings: { cells: 0, hours: 0 } });
    const matching = { kind: "NUMERIC", relativeTolerance: 0.01, absoluteTolerance: null, maxEdits: null };
    await getBody(rest.patch(`/api/v1/deployments/${id}/configuration`, { columns: columns(matching) }), 200);
    const after = await measure();
    // "101" and a key to the next field.
    expect(after).toMatchObject({ usage: null, savings: { cells: 1, hours: (1.35 + 4 * 0.28) / 3600 } });
    expect(after.configuration.columns[0].matching).toEqual(matching);
    const [result] = (await getBody(rest.get(`${execution(after.id)}/files`), 200)).data;
    expect(result).toMatchObject({ exact: true, usage: null, outcomes: { correct: 1, correctlyEmpty: 1 } });
    const compared = await getBody(rest.get(`${execution(after.id)}/compare?baseline=${before.id}`), 200);
    expect(compared.byColumn.map(({ slug }: any) => slug)).toEqual(["iban"]);
    expect(compared.newlyPassingCount).toBe(0);
    expect(compared.configuration.changed).toMatchObject([{ slug: "total", fields: ["matching"] }]);
    // The same values again are not a change, so they are accepted once more.
    await getBody(rest.send(`/api/v1/files/${fileId}/accepted-values?deploymentId=${id}`, { method: "DELETE" }), 204);
    expect(await accept()).toBe(0);
    await getBody(rest.send(`/api/v1/files/${fileId}`, { method: "DELETE" }), 204);
  });

  it("are cancelled permanently, and can be deleted once they have ended", async () => {
    const { executionId } = await getBody(run(), 201);
    await finished(executionId);
    const before = await getBody(given.rest.get(execution(executionId)), 200);
    expect(await getBody(given.rest.post(`${execution(executionId)}:cancel`), 200)).toEqual(before);
    await getBody(remove(executionId), 204);
    expect(await refusal(given.rest.get(execution(executionId)))).toBe("404 EXECUTION_NOT_FOUND executionId");
    expect(await refusal(remove(executionId))).toBe("404 EXECUTION_NOT_FOUND executionId");
    expect(await refusal(given.rest.post(`${execution(executionId)}:cancel`))).toBe(
      "404 EXECUTION_NOT_FOUND executionId",
    );
  });

  it("report their progress as server-sent events until they have ended", async () => {
    const { executionId } = await getBody(run(), 201);
    const response = await fetch(`${given.system.url}${execution(executionId)}/events`, {
      headers: { authorization: `Bearer ${given.system.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = getEvents(await response.text());
    expect(events.every(({ name }) => name === "progress")).toBe(true);
    expect(events.at(-1)?.data).toEqual({
      executionId,
      status: "COMPLETED",
      progress: { total: 2, done: 2, failed: 0 },
      error: null,
    });
  });
});
