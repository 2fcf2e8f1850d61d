import { finishedExtraction, sample } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";

describe("4.6 accepted files", () => {
  const given = givenOffice();
  let fileId: string;
  const values = (id = fileId) => `/api/v1/files/${id}/accepted-values`;
  const put = (body: unknown, path = values(), rest = given.rest) =>
    rest.send(path, { method: "PUT", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
  const remove = (path: string) => given.rest.send(path, { method: "DELETE" });
  const upload = async (name: string, text: string, projectId = given.office.projectId): Promise<string> =>
    (await getBody(given.rest.upload(`/api/v1/projects/${projectId}/files`, name, Buffer.from(text)), 201)).id;
  const listed = async (query: string): Promise<string[]> =>
    (await getBody(given.rest.get(`/api/v1/projects/${given.office.projectId}/files?${query}`), 200)).data.map(
      ({ id }: any) => id,
    );
  const total = (value: unknown) => [{ slug: "receipt", rows: [{ values: { total: value } }] }];

  beforeEach(async () => {
    fileId = await upload("receipt.txt", "Corner shop\nTotal 12.50");
  });

  it("have values for each model, which are set, read and removed", async () => {
    const { receipts } = given.office;
    const body = { fileId, deploymentId: receipts, tables: total(12.5) };
    expect(await refusal(given.rest.get(`${values()}?deploymentId=${receipts}`))).toBe(
      "404 ACCEPTED_VALUES_NOT_FOUND deploymentId",
    );
    expect((await getBody(given.rest.get(`/api/v1/files/${fileId}`), 200)).accepted).toBe(false);
    expect(await getBody(put({ deploymentId: receipts, tables: body.tables }), 200)).toEqual(body);
    expect(await getBody(given.rest.get(`${values()}?deploymentId=${receipts}`), 200)).toEqual(body);
    expect((await getBody(given.rest.get(`/api/v1/files/${fileId}`), 200)).accepted).toBe(true);
    const changed = { ...body, tables: total(null) };
    expect(await getBody(put({ deploymentId: receipts, tables: changed.tables }), 200)).toEqual(changed);
    await getBody(remove(`${values()}?deploymentId=${receipts}`), 204);
    expect((await getBody(given.rest.get(`/api/v1/files/${fileId}`), 200)).accepted).toBe(false);
    expect(await refusal(remove(`${values()}?deploymentId=${receipts}`))).toBe(
      "404 ACCEPTED_VALUES_NOT_FOUND deploymentId",
    );
  });

  it("keep apart what is null and what is not labeled", async () => {
    const { invoices } = given.office;
    const read = async () =>
      (await getBody(given.rest.get(`${values()}?deploymentId=${invoices}`), 200)).tables as unknown;
    for (const tables of [
      [{ slug: "invoice", rows: [{ values: { iban: null } }] }],
      [{ slug: "invoice", rows: [{ values: {} }] }],
      [
        { slug: "invoice", rows: [] },
        { slug: "line_items", rows: [] },
      ],
      [],
    ]) {
      await getBody(put({ deploymentId: invoices, tables }), 200);
      expect(await read()).toEqual(tables);
    }
    await getBody(remove(`/api/v1/files/${fileId}`), 204);
  });

  it("are filtered by whether they are accepted, for any model or for one", async () => {
    const { receipts, invoices } = given.office;
    const other = await upload("other.txt", "Something else");
    await getBody(put({ deploymentId: receipts, tables: total(1) }), 200);
    expect(await listed("accepted=true")).toContain(fileId);
    expect(await listed("accepted=true")).not.toContain(other);
    expect(await listed("accepted=false")).toContain(other);
    expect(await listed("accepted=false")).not.toContain(fileId);
    expect(await listed(`deploymentId=${receipts}`)).toContain(fileId);
    expect(await listed(`accepted=true&deploymentId=${invoices}`)).toEqual([]);
    expect(await listed(`accepted=false&deploymentId=${invoices}`)).toEqual(expect.arrayContaining([fileId, other]));
    expect(
      await refusal(given.rest.get(`/api/v1/projects/${given.office.projectId}/files?deploymentId=mdl_none`)),
    ).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
  });

  it("have values of the types of their columns; any other value is a 400 that names the cell", async () => {
    const { receipts, invoices } = given.office;
    const fault = (tables: unknown, deploymentId = receipts) => refusal(put({ deploymentId, tables }));
    const at = "400 INVALID_REQUEST tables[0].rows[0].values";
    for (const wrong of ["12.50", true, [1], { a: 1 }]) expect(await fault(total(wrong))).toBe(`${at}.total`);
    const cell = (slug: string, value: unknown) => [{ slug: "receipt", rows: [{ values: { [slug]: value } }] }];
    for (const wrong of ["2026-02-30", "1 May 2026", 20260501]) {
      expect(await fault(cell("date", wrong))).toBe(`${at}.date`);
    }
    expect(await fault(cell("company", 1))).toBe(`${at}.company`);
    expect(await fault(cell("nothing", 1))).toBe(`${at}.nothing`);
    expect(await fault([{ slug: "till", rows: [] }])).toBe("400 INVALID_REQUEST tables[0].slug");
    expect(await fault([...total(1), ...total(2)])).toBe("400 INVALID_REQUEST tables[1].slug");
    expect(await fault([{ slug: "receipt", rows: [{}, {}] }])).toBe("400 INVALID_REQUEST tables[0].rows");
    const lines = [{ slug: "line_items", rows: [{ values: { quantity: 1 } }, { values: { quantity: "2" } }] }];
    expect(await fault(lines, invoices)).toBe("400 INVALID_REQUEST tables[0].rows[1].values.quantity");
  });

  it("accept a model of their project by its ID, or that of its schemas or deployments", async () => {
    const { receipts, invoices, firstSchema, deployment, projectId } = given.office;
    const { id: elsewhere } = await getBody(given.rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
    const foreign = await upload("a.txt", "Total 1", elsewhere);
    const tables = total(1);
    expect(await refusal(put({ deploymentId: receipts, tables }, values(foreign)))).toBe(
      "400 MODEL_OF_OTHER_PROJECT deploymentId",
    );
    expect(await refusal(put({ tables }))).toBe("400 INVALID_REQUEST deploymentId");
    expect(await refusal(put({ deploymentId: "mdl_none", tables }))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    expect(await refusal(put({ deploymentId: receipts, tables }, values("fil_none")))).toBe(
      "404 FILE_NOT_FOUND fileId",
    );
    const bare = await getBody(
      given.rest.post(`/api/v1/projects/${projectId}/deployments`, { name: `Bare ${fileId}` }),
      201,
    );
    expect(await refusal(put({ deploymentId: bare.id, tables }))).toBe("400 MODEL_HAS_NO_SCHEMA deploymentId");
    for (const id of [firstSchema, deployment]) {
      const set = await getBody(put({ deploymentId: id, tables: [] }), 200);
      expect(set.deploymentId).toBe(invoices);
    }
    const outsider = createRest(given.system.url, await given.system.anotherOrganization(`Of ${fileId}`));
    expect(await refusal(put({ deploymentId: receipts, tables }, values(), outsider))).toBe(
      "404 FILE_NOT_FOUND fileId",
    );
  });

  it("can get their values from an extraction", async () => {
    const bytes = await sample("invoice-harbour-lane.pdf");
    const { projectId, invoices } = given.office;
    const file = await getBody(given.rest.upload(`/api/v1/projects/${projectId}/files`, "invoice.pdf", bytes), 201);
    const { id } = await getBody(
      given.rest.post(`/api/v1/deployments/${invoices}/extractions`, { fileId: file.id }),
      201,
    );
    const extraction = await finishedExtraction(given.rest, id);
    expect(extraction.status).toBe("COMPLETED");
    const accepted = await getBody(given.rest.post(`/api/v1/extractions/${extraction.id}:accept`), 200);
    expect(accepted).toEqual({
      fileId: file.id,
      deploymentId: invoices,
      tables: extraction.tables.map(({ slug, rows }: any) => ({
        slug,
        rows: rows.map(({ values: row }: any) => ({ values: row })),
      })),
    });
    expect(await getBody(given.rest.get(`${values(file.id)}?deploymentId=${invoices}`), 200)).toEqual(accepted);
    expect(await refusal(given.rest.post("/api/v1/extractions/ext_none:accept"))).toBe(
      "404 EXTRACTION_NOT_FOUND extractionId",
    );
  });

  it("are deleted with their values", async () => {
    const { receipts } = given.office;
    await getBody(put({ deploymentId: receipts, tables: total(1) }), 200);
    await getBody(remove(`/api/v1/files/${fileId}`), 204);
    expect(await refusal(given.rest.get(`/api/v1/files/${fileId}`))).toBe("404 FILE_NOT_FOUND fileId");
    expect(await refusal(given.rest.get(`${values()}?deploymentId=${receipts}`))).toBe("404 FILE_NOT_FOUND fileId");
    expect(await refusal(remove(`/api/v1/files/${fileId}`))).toBe("404 FILE_NOT_FOUND fileId");
    expect(await listed(`deploymentId=${receipts}`)).not.toContain(fileId);
  });

  describe("import", () => {
    const imported = (name: string, text: string, fields: Record<string, string> = {}) =>
      given.rest.upload(
        `/api/v1/projects/${given.office.projectId}/accepted-values:import`,
        name,
        Buffer.from(text),
        fields,
      );

    it("reads JSON lines, reports each fault with its line, and sets the valid files", async () => {
      const { receipts, invoices } = given.office;
      const named = await upload(`only-${fileId}.txt`, "Total 3");
      const lines = [
        { fileId, tables: total(12.5) },
        { filename: `only-${fileId}.txt`, deploymentId: invoices, values: { total: 3 } },
        { fileId, tables: total("12.50") },
        { fileId: "fil_none", values: {} },
        { fileId, filename: "both", values: {} },
        { fileId, deploymentId: "mdl_none", values: {} },
        { fileId, values: {}, more: 1 },
        { filename: "receipt.txt", values: {} },
      ].map((line) => JSON.stringify(line));
      const response = await getBody(
        imported("a.jsonl", `${lines.join("\n")}\n\nnonsense\n`, { deploymentId: receipts }),
        200,
      );
      const where = response.faults.map(({ line, field }: any) => `${line} ${field}`);
      expect(where).toEqual([
        "3 tables[0].rows[0].values.total",
        "4 fileId",
        "5 fileId, filename",
        "6 deploymentId",
        "7 more",
        "8 filename",
        "10 ",
      ]);
      expect(response).toMatchObject({ accepted: 2, rejected: 7 });
      expect((await getBody(given.rest.get(`${values()}?deploymentId=${receipts}`), 200)).tables).toEqual(total(12.5));
      expect((await getBody(given.rest.get(`${values(named)}?deploymentId=${invoices}`), 200)).tables).toEqual([
        { slug: "invoice", rows: [{ values: { total: 3 } }] },
      ]);
    });

    it("sets valid files although lines before them have deeply nested values or very many faults", async () => {
      const { receipts } = given.office;
      const later = await upload("later.txt", "Total 3");
      const nested = `${"[".repeat(150)}${"]".repeat(150)}`;
      const lines = [
        JSON.stringify({ fileId, tables: total(12.5) }),
        `{"fileId":"${fileId}","values":{"total":${nested}}}`,
        `{"fileId":"${fileId}","tables":[${Array(300_000).fill(0).join(",")}]}`,
        JSON.stringify({ fileId: later, tables: total(3) }),
      ];
      const response = await getBody(imported("a.jsonl", lines.join("\n"), { deploymentId: receipts }), 200);
      expect(response).toMatchObject({ accepted: 2, rejected: 2 });
      expect(response.faults).toHaveLength(1_000);
      expect(response.faults.slice(0, 2)).toEqual([
        { line: 2, field: "tables[0].rows[0].values.total", message: "must be a number or null" },
        { line: 3, field: "tables[0]", message: "must be an object with slug and rows" },
      ]);
      expect((await getBody(given.rest.get(`${values(later)}?deploymentId=${receipts}`), 200)).tables).toEqual(
        total(3),
      );
    });

    it("reads CSV with a heading for each column, and several records for the rows of one file", async () => {
      const { invoices, projectId } = given.office;
      const text = [
        "fileId,deploymentId,total,invoice_date,line_items.description,line_items.amount",
        `${fileId},${invoices},12.5,2026-05-01,"Bolts, ""M4""",2.5`,
        `${fileId},${invoices},,,Nuts,10`,
      ].join("\r\n");
      const path = `/api/v1/projects/${projectId}/accepted-values:import?filename=a.csv`;
      const send = (body: string) =>
        given.rest.send(path, { method: "POST", body, headers: { "content-type": "text/csv" } });
      expect(await getBody(send(text), 200)).toEqual({ accepted: 1, rejected: 0, faults: [] });
      const { tables } = await getBody(given.rest.get(`${values()}?deploymentId=${invoices}`), 200);
      expect(tables).toEqual([
        {
          slug: "invoice",
          rows: [{ values: { invoice_date: "2026-05-01", total: 12.5 } }],
        },
        {
          slug: "line_items",
          rows: [
            { values: { description: 'Bolts, "M4"', amount: 2.5 } },
            { values: { description: "Nuts", amount: 10 } },
          ],
        },
      ]);
      const wrong = await getBody(send(`fileId,deploymentId,total,color\n${fileId},${invoices},a lot,red\n`), 200);
      expect(wrong.accepted).toBe(0);
      expect(wrong.faults.map(({ line, field }: any) => `${line} ${field}`)).toEqual(["2 color"]);
      const twice = await getBody(
        send(`fileId,deploymentId,total\n${fileId},${invoices},1\n${fileId},${invoices},2`),
        200,
      );
      expect(twice.faults.map(({ line, field }: any) => `${line} ${field}`)).toEqual(["3 total"]);
      expect((await getBody(send("color\nred"), 200)).faults).toEqual([
        { line: 1, field: "fileId, filename", message: "the header must contain exactly one of the two" },
      ]);
      expect(await refusal(send(" "))).toBe("400 INVALID_REQUEST content");
    });
  });
});
