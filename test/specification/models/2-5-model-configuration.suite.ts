import { finishedExtraction } from "../../journeys/fixture.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 2.5: the configuration of a model. */
export function modelConfigurationSuite(where: Where): void {
  const given = givenOffice(where);
  const models = () => `/api/v1/projects/${given.office.projectId}/deployments`;
  const target = (id: string) => `/api/v1/deployments/${id}`;
  const create = (body: unknown) => getBody(given.rest.post(models(), body), 201);
  const tables = [{ slug: "main", isPrimary: true }];

  describe("excludedFromExtraction", () => {
    const text = "INVOICE\nInvoice number: INV-77\nOrder number: PO-12\nTotal: 120.00 EUR\n";
    const columns = (excluded: boolean) => [
      { slug: "invoice_number", name: "Invoice number" },
      { slug: "order_number", name: "Order number", excludedFromExtraction: excluded },
    ];

    it("excludes a column from the values, and changes nothing else of the model", async () => {
      const { rest } = given;
      const model = await create({ name: "Excluding", tables, columns: columns(true) });
      const file = await getBody(
        rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "a.txt", new TextEncoder().encode(text)),
        201,
      );
      const values = async () => {
        const { id } = await getBody(rest.post(`${target(model.id)}/extractions`, { fileId: file.id }), 201);
        const extraction = await finishedExtraction(rest, id);
        const [row] = extraction.tables[0].rows;
        for (const part of [row.confidence, row.evidence]) {
          for (const slug of Object.keys(part)) expect(Object.keys(row.values)).toContain(slug);
        }
        return row.values;
      };
      expect(await values()).toEqual({ invoice_number: "INV-77" });
      const path = `${target(model.id)}/configuration`;
      expect((await getBody(rest.get(path), 200)).columns.map(({ slug }: any) => slug)).toEqual([
        "invoice_number",
        "order_number",
      ]);
      await getBody(rest.patch(path, { columns: columns(false) }), 200);
      expect(await values()).toEqual({ invoice_number: "INV-77", order_number: "PO-12" });
    });

    it("excludes the column's name from the terms that distinguish routes", async () => {
      const { rest, office } = given;
      const schema = (excluded: boolean) => ({
        tables,
        columns: [
          { slug: "total", name: "Total" },
          { slug: "gauge", name: "Zirconium gauge", excludedFromExtraction: excluded },
        ],
      });
      const model = await create({ name: "Gauges", ...schema(true) });
      const routes = [{ deploymentId: model.id }, { deploymentId: office.receipts }];
      const body = { projectId: office.projectId, name: "Gauging", routes };
      const classifier = await getBody(rest.post("/api/v1/classify", body), 201);
      const terms = async () => {
        const request = { text: "Zirconium gauge 17, zirconium gauge 18", explain: true, extract: false };
        const { scores } = await getBody(rest.post(`/api/v1/classify/${classifier.id}`, request), 201);
        const score = scores.find(({ routeName }: any) => routeName === "Gauges");
        return JSON.stringify(score.evidence.terms.map(({ term }: any) => term));
      };
      expect(await terms()).not.toMatch(/zircon/i);
      await getBody(rest.patch(`${target(model.id)}/configuration`, schema(false)), 200);
      expect(await terms()).toMatch(/zircon/i);
    });
  });

  it("keeps sharedId as it was sent, or null, through every change", async () => {
    const { rest } = given;
    const columns = [{ slug: "a", sharedId: "doc no/ä" }, { slug: "b", sharedId: null }, { slug: "c" }];
    const model = await create({ name: "Sharing", tables, columns });
    const path = `${target(model.id)}/configuration`;
    const sharedIds = (configuration: any) => configuration.columns.map(({ sharedId }: any) => sharedId);
    expect(sharedIds(await getBody(rest.get(path), 200))).toEqual(["doc no/ä", null, null]);
    const changed = await getBody(rest.patch(path, { columns: [{ slug: "a" }, { slug: "b", sharedId: "x" }] }), 200);
    expect(sharedIds(changed)).toEqual([null, "x"]);
    const old = await getBody(rest.get(`${target(model.extractionSchemaId)}/configuration`), 200);
    expect(sharedIds(old)).toEqual(["doc no/ä", null, null]);
    expect(await refusal(rest.patch(path, { columns: [{ slug: "a", sharedId: " " }] }))).toBe(
      "400 INVALID_REQUEST columns[0].sharedId",
    );
  });

  it("keeps the matching of columns in each version, and shows its changes", async () => {
    const { rest } = given;
    const price = { slug: "price", type: "NUMBER" };
    const cent = { kind: "NUMERIC", absoluteTolerance: 0.01, relativeTolerance: null, maxEdits: null };
    const model = await create({ name: "Tolerant", tables, columns: [{ ...price, matching: cent }] });
    const path = `${target(model.id)}/configuration`;
    const [read] = (await getBody(rest.get(path), 200)).columns;
    expect(read.matching).toEqual(cent);
    // The same matching again is not a change.
    const same = { kind: "NUMERIC", absoluteTolerance: 0.01 };
    expect((await getBody(rest.patch(path, { columns: [{ ...price, matching: same }] }), 200)).version).toBe(1);
    const changed = await getBody(rest.patch(path, { columns: [{ ...price, matching: null }] }), 200);
    expect([changed.version, changed.columns[0].matching]).toEqual([2, null]);
    const difference = await getBody(rest.get(`${path}:diff?from=1`), 200);
    expect(difference.changed).toMatchObject([
      { slug: "price", fields: ["matching"], before: { matching: cent }, after: { matching: null } },
    ]);
    const faulty = { columns: [{ slug: "price", type: "DATE", matching: { ...same, maxEdits: 2 } }] };
    expect(await refusal(rest.patch(path, faulty))).toBe(
      "400 INVALID_REQUEST columns[0].matching.kind columns[0].matching.maxEdits",
    );
    const unknown = { columns: [{ ...price, matching: { kind: "SOUNDEX" } }] };
    expect(await refusal(rest.patch(path, unknown))).toBe("400 INVALID_REQUEST columns[0].matching.kind");
  });

  it("reports every fault of a request at once, each with its path", async () => {
    const invalid = {
      tables: [
        { slug: "Bad-slug", isPrimary: true },
        { slug: "twice", isPrimary: true },
        { slug: "twice", isPrimary: false, name: "n".repeat(121) },
      ],
      columns: [
        { table: "nowhere", slug: "a" },
        { table: "twice", slug: "a", type: "ENUM" },
        { table: "twice", slug: "a", type: "TEXT", enumValues: ["x"] },
        { slug: "" },
      ],
      extractionSettings: { engine: "local", temperature: 0.5, numberOfExamples: 51 },
    };
    const fields = [
      ...["tables[0].slug", "tables[2].slug", "tables[2].name", "tables[1].isPrimary"],
      ...["columns[0].table", "columns[1].enumValues", "columns[2].enumValues", "columns[3].table", "columns[3].slug"],
      ...["columns[2].slug", "extractionSettings.temperature", "extractionSettings.numberOfExamples"],
    ];
    expect(await refusal(given.rest.post(models(), { name: "", ...invalid }))).toBe(
      ["400 INVALID_REQUEST name", ...fields].join(" "),
    );
    const path = `${target(given.office.receipts)}/configuration`;
    expect(await refusal(given.rest.patch(path, invalid))).toBe(["400 INVALID_REQUEST", ...fields].join(" "));
    expect((await getBody(given.rest.get(path), 200)).version).toBe(1);
  });

  it.each([
    ["no primary table", { tables: [{ slug: "a", isPrimary: false }] }, "tables"],
    ["columns without a table", { columns: [{ slug: "a" }] }, "tables columns[0].table"],
    ["a slug that begins with a digit", { tables: [{ slug: "1a" }] }, "tables[0].slug"],
    ["a slug of 64 characters", { tables: [{ slug: "a".repeat(64) }] }, "tables[0].slug"],
    ["an unknown type", { tables, columns: [{ slug: "a", type: "MONEY" }] }, "columns[0].type"],
    [
      "an ENUM value twice",
      { tables, columns: [{ slug: "a", type: "ENUM", enumValues: ["x", "x"] }] },
      "columns[0].enumValues[1]",
    ],
    ["another engine", { tables, extractionSettings: { engine: "remote" } }, "extractionSettings.engine"],
    ["an operator for a text", { instructions: { $ne: null } }, "instructions"],
    ["an operator for a slug", { tables: [{ slug: { $gt: "" } }] }, "tables[0].slug"],
  ])("refuses %s", async (_name, body, field) => {
    expect(await refusal(given.rest.post(models(), { name: "Faulty", ...body }))).toBe(`400 INVALID_REQUEST ${field}`);
    const { data } = await getBody(given.rest.get(models()), 200);
    expect(data.map(({ name }: any) => name)).not.toContain("Faulty");
  });

  describe("read-only fields", () => {
    const moments = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
    const ownership = { organizationId: "org_1", createdBy: "usr_1", projectId: "prj_1" };
    const ofModel = { id: "mdl_1", type: "MODEL", status: "PAUSED", ...ownership, ...moments };
    const counts = { tableCount: 3, deployments: [], version: 7 };
    const inSchema = {
      tables: [{ slug: "main", id: "tbl_1" }],
      columns: [{ slug: "a", id: "col_1", tableId: "tbl_1", index: 4 }],
    };
    const inSchemaFields = ["tables[0].id", "columns[0].id", "columns[0].tableId", "columns[0].index"];
    const cases = (): [string, "POST" | "PATCH", string, Record<string, unknown>, string[]][] => {
      const { office } = given;
      const common = { ...ofModel, ...counts };
      return [
        ["CreateModel", "POST", models(), { ...common, extractionSchemaId: "sch_1", deploymentId: "x" }, []],
        ["CreateModel", "POST", models(), inSchema, inSchemaFields],
        ["UpdateModel", "PATCH", target(office.invoices), { ...common, extractionSchemaId: "sch_1" }, []],
        ["UpdateDeployment", "PATCH", target(office.deployment), { ...common, deploymentId: "mdl_1" }, []],
        [
          "CreateDeployment",
          "POST",
          `${target(office.invoices)}/deployments`,
          { ...common, deploymentId: "mdl_1" },
          [],
        ],
        [
          "UpdateConfiguration",
          "PATCH",
          `${target(office.invoices)}/configuration`,
          { ...common, deployment: {}, deploymentId: "x", extractionSchemaId: "sch_1", updateMask: "name" },
          [],
        ],
        ["UpdateConfiguration", "PATCH", `${target(office.invoices)}/configuration`, inSchema, inSchemaFields],
        ["Pause", "POST", `${target(office.invoices)}:pause`, { ...common, name: "x", deploymentId: "x" }, []],
        ["Resume", "POST", `${target(office.invoices)}:resume`, { ...common, name: "x", deploymentId: "x" }, []],
      ];
    };

    it("are 400 in a body, together or alone, and each is named", async () => {
      const state = async () => [
        await getBody(given.rest.get(models()), 200),
        await getBody(given.rest.get(`${target(given.office.invoices)}/configuration`), 200),
      ];
      const before = await state();
      for (const [method, verb, path, body, nested] of cases()) {
        const send = (content: unknown) =>
          verb === "POST" ? given.rest.post(path, content) : given.rest.patch(path, content);
        const needed = verb === "POST" && !path.includes(":") ? { name: `Never ${method}` } : {};
        const fields = nested.length > 0 ? nested : Object.keys(body);
        const known = method === "UpdateModel" ? fields.filter((field) => field !== "extractionSchemaId") : fields;
        expect([method, await refusal(send({ ...needed, ...body }))]).toEqual([
          method,
          ["400 INVALID_REQUEST", ...known].join(" "),
        ]);
        if (nested.length > 0) continue;
        for (const field of fields) {
          const alone = { ...needed, [field]: body[field] };
          expect([method, await refusal(send(alone))]).toEqual([method, `400 INVALID_REQUEST ${field}`]);
        }
      }
      expect(await state()).toEqual(before);
    });
  });
}
