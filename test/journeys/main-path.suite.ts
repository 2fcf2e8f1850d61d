import PDFDocument from "pdfkit";
import type { Rest } from "../rest.ts";
import { givenOffice } from "../specification/testing/office.ts";
import type { Where } from "../specification/testing/office.ts";
import { createOffice, finishedExtraction, sample } from "./fixture.ts";
import type { Office } from "./fixture.ts";

/** The main use case: a document is uploaded over REST, routed with a reason, and its values are extracted. */
export function describeMainPath(where: Where): void {
  const given = givenOffice(where);
  let rest: Rest;
  let office: Office;
  const classify = (body: unknown) => rest.post(`/api/v1/classify/${office.classifier}/classifications`, body);

  beforeAll(() => {
    ({ rest, office } = given);
  });

  describe("a document that has a route", () => {
    it("is stamped with the deployment and extracted by the schema that the deployment serves", async () => {
      const response = await rest.upload(
        `/api/v1/classify/${office.classifier}`,
        "invoice.pdf",
        await sample("invoice-harbour-lane.pdf"),
        { externalId: "mail-17" },
      );
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toBe(
        `/api/v1/classify/${office.classifier}/classifications/${response.body.id}`,
      );
      expect(response.body).toMatchObject({
        classifierId: office.classifier,
        filename: "invoice.pdf",
        externalId: "mail-17",
        sourceFileId: null,
        status: "CLASSIFIED",
        reason: null,
        routeName: "Invoice",
        deploymentId: office.invoices,
        deploymentName: "Invoices, stable",
        targetDeploymentId: office.deployment,
        extractionSchemaId: office.firstSchema,
        projectId: office.projectId,
        review: null,
        retryOf: null,
        engine: { name: "local" },
      });
      expect(office.firstSchema).not.toBe(office.secondSchema);
      expect(response.body.scores.map((score: any) => score.routeName).sort()).toEqual(["Invoice", "Receipt"]);
      expect(response.body.scores[0]).toMatchObject({
        routeName: "Invoice",
        eligible: true,
        ineligibleReason: null,
        evidence: null,
      });
      expect(response.body.confidence).toBe(response.body.scores[0].score);

      const extraction = await finishedExtraction(rest, response.body.extraction.id);
      expect(extraction).toMatchObject({
        fileId: response.body.fileId,
        projectId: office.projectId,
        deploymentId: office.invoices,
        targetDeploymentId: office.deployment,
        extractionSchemaId: office.firstSchema,
        status: "COMPLETED",
        error: null,
      });
      const [invoice, lines] = extraction.tables;
      expect(invoice.rows[0].values).toEqual({
        invoice_number: "HL-2026-0417",
        invoice_date: "2026-10-12",
        total: 1344,
      });
      expect(invoice.rows[0].evidence.invoice_number).toMatchObject({ page: 1, quote: "HL-2026-0417" });
      expect(lines.rows.map(({ values }: any) => values)).toEqual([
        { description: "Flour sacks, 25 kg", quantity: 40, unit_price: 18.5, amount: 740 },
        { description: "Baking trays, steel", quantity: 12, unit_price: 23.75, amount: 285 },
        { description: "Delivery to Hamburg", quantity: 1, unit_price: 95, amount: 95 },
      ]);
      const record = await rest.get(`/api/v1/classify/${office.classifier}/classifications/${response.body.id}`);
      expect(record.body).toEqual({
        ...response.body,
        extraction: { ...response.body.extraction, status: "COMPLETED" },
      });
    });

    it("can be sent as text, as base64, as a file of the project or as an e-mail attachment", async () => {
      const text = "RECEIPT\nCorner shop\nDate 02/11/2026\nTotal 4.50\nCash 5.00\nChange 0.50\nThank you";
      const asText = await classify({ text });
      expect(asText).toMatchObject({
        status: 201,
        body: { status: "CLASSIFIED", routeName: "Receipt", filename: "text.txt" },
      });

      const data = Buffer.from(await sample("receipt-coffee.pdf")).toString("base64");
      const asContent = await classify({
        content: { filename: "r.pdf", contentType: "application/pdf", data },
        extract: false,
      });
      expect(asContent).toMatchObject({ status: 201, body: { routeName: "Receipt", extraction: null } });

      const path = `/api/v1/projects/${office.projectId}/files?filename=mine.pdf`;
      const body = Buffer.from(await sample("invoice-harbour-lane.pdf"));
      const raw = await rest.send(path, { method: "POST", body, headers: { "content-type": "application/pdf" } });
      expect(raw).toMatchObject({
        status: 201,
        body: { filename: "mine.pdf", status: "READ", pageCount: 1, reason: null },
      });
      const asFile = await classify({ fileId: raw.body.id });
      expect(asFile).toMatchObject({
        status: 201,
        body: { fileId: raw.body.id, sourceFileId: null, routeName: "Invoice" },
      });

      const mail = await rest.upload(
        `/api/v1/classify/${office.classifier}`,
        "mail.eml",
        await sample("mail-with-invoice.eml"),
      );
      expect(mail).toMatchObject({ status: 201, body: { routeName: "Invoice" } });
      const content = await rest.get(`/api/v1/files/${raw.body.id}/content`);
      expect(content.headers.get("content-disposition")).toMatch(/^attachment/);
      expect(content.headers.get("x-content-type-options")).toBe("nosniff");
    });

    it("has a warning if only its first pages were read", async () => {
      const pages = Array.from({ length: 619 }, () => "RECEIPT\nCash 5.00\nChange 0.50\nTotal 4.50\nThank you");
      const warnings = [{ code: "PAGES_LEFT_OUT", message: "Only the first 200 pages were read." }];
      const long = await classify({ text: pages.join("\f") });
      expect(long).toMatchObject({ status: 201, body: { routeName: "Receipt", warnings } });
      const record = await rest.get(`/api/v1/classify/${office.classifier}/classifications/${long.body.id}`);
      expect(record.body.warnings).toEqual(warnings);
      expect(await finishedExtraction(rest, long.body.extraction.id)).toMatchObject({ status: "COMPLETED", warnings });
      const file = await rest.get(`/api/v1/files/${long.body.fileId}`);
      expect(file.body).toMatchObject({ status: "READ", pageCount: 200, warnings });
      const short = await classify({ text: pages[0], extract: false });
      expect(short.body.warnings).toEqual([]);
    });

    it("is extracted in the project of the routed model if a global classifier routes it", async () => {
      const other = await createOffice(rest, "Sales");
      const own = `/api/v1/classify/${other.classifier}`;
      const receiptRoute = {
        deploymentId: office.receipts,
        name: "Till receipt",
        description: "Receipt of a shop, paid in cash.",
      };
      const refused = await rest.post(`${own}/routes`, receiptRoute);
      expect(refused).toMatchObject({ status: 400, body: { code: "MODEL_OF_ANOTHER_PROJECT" } });
      expect((await rest.post(`${own}:makeGlobal`)).body).toMatchObject({ projectId: null, isGlobal: true });
      const routes = (await rest.get(`${own}/routes`)).body.data;
      expect(routes).toHaveLength(2);
      const file = await rest.upload(
        `/api/v1/projects/${office.projectId}/files`,
        "i.pdf",
        await sample("invoice-harbour-lane.pdf"),
      );
      const record = (await rest.post(`${own}/classifications`, { fileId: file.body.id })).body;
      expect(record).toMatchObject({ status: "CLASSIFIED", projectId: other.projectId, sourceFileId: file.body.id });
      expect(record.fileId).not.toBe(file.body.id);
      expect((await finishedExtraction(rest, record.extraction.id)).projectId).toBe(other.projectId);
      expect((await rest.get(`/api/v1/files/${record.fileId}`)).body).toMatchObject({
        projectId: other.projectId,
        sha256: file.body.sha256,
      });
      expect((await rest.post(`${own}/routes`, receiptRoute)).status).toBe(201);
      const listed = (await rest.get(`/api/v1/classify?projectId=${office.projectId}`)).body;
      expect(listed.map(({ name }: any) => name)).toEqual(["Sales inbox", "Accounts payable inbox"]);
    });
  });

  describe("a document without a route is recorded as UNCLASSIFIED with a reason", () => {
    const unclassified = async (filename: string, bytes: Uint8Array) => {
      const response = await rest.upload(`/api/v1/classify/${office.classifier}`, filename, bytes);
      expect(response).toMatchObject({
        status: 201,
        body: { status: "UNCLASSIFIED", routeId: null, extraction: null },
      });
      expect(response.body.reason.message).not.toBe("");
      expect(response.body.projectId).toBe(office.projectId);
      return response.body.reason.code;
    };
    const toBytes = (text: string) => new TextEncoder().encode(text);

    it("if it matches no route", async () => {
      expect(["NO_MATCH", "BELOW_THRESHOLD"]).toContain(await unclassified("swim.pdf", await sample("lake-swim.pdf")));
    });

    it("if it cannot be read", async () => {
      const whole = await sample("invoice-harbour-lane.pdf");
      expect(await unclassified("torn.pdf", whole.slice(0, 900))).toBe("UNREADABLE_FILE");
      expect(await unclassified("locked.pdf", await encryptedPdf())).toBe("ENCRYPTED_FILE");
      expect(await unclassified("blank.txt", toBytes(" \n\t \n"))).toBe("EMPTY_DOCUMENT");
      expect(
        await unclassified(
          "program.bin",
          Uint8Array.from({ length: 4096 }, (_, at) => (at * 197) % 256),
        ),
      ).toBe("UNSUPPORTED_FORMAT");
    });

    it("if the classifier has no routes, or none is active", async () => {
      const path = "/api/v1/classify";
      const empty = await rest.post(path, { projectId: office.projectId, name: "Empty" });
      const none = await rest.post(`${path}/${empty.body.id}`, { text: "An invoice" });
      expect(none).toMatchObject({
        status: 201,
        body: { reason: { code: "NO_ROUTES" }, scores: [], confidence: null },
      });

      const route = { deploymentId: office.invoices, targetDeploymentId: office.deployment };
      await rest.post(`${path}/${empty.body.id}/routes`, route);
      expect((await rest.post(`/api/v1/deployments/${office.deployment}:pause`)).body.status).toBe("PAUSED");
      const paused = await rest.post(`${path}/${empty.body.id}`, { text: "An invoice" });
      expect(paused).toMatchObject({ status: 201, body: { reason: { code: "NO_ACTIVE_ROUTE" } } });
      expect(paused.body.scores).toMatchObject([
        { score: null, eligible: false, ineligibleReason: "DEPLOYMENT_PAUSED" },
      ]);
      const detail = (await rest.get(`${path}/${empty.body.id}`)).body;
      expect(detail).toMatchObject({ candidateRoutes: 0, excludedRoutes: [{ reason: "DEPLOYMENT_PAUSED" }] });
      expect(detail.deploymentRoutes[0].targetDeployment.status).toBe("PAUSED");
      expect((await rest.post(`/api/v1/deployments/${office.deployment}:resume`)).body.status).toBe("ACTIVE");
    });
  });

  it("counts concurrent classifications exactly once", async () => {
    const counting = await rest.post("/api/v1/classify", { projectId: office.projectId, name: "Counting" });
    const path = `/api/v1/classify/${counting.body.id}`;
    const responses = await Promise.all(
      Array.from({ length: 24 }, () => rest.post(path, { text: "Something to read" })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 201));
    expect((await rest.get(path)).body.classificationCount).toBe(24);
    const first = await rest.get(`${path}/classifications?limit=20`);
    expect(first.body.data).toHaveLength(20);
    const second = await rest.get(`${path}/classifications?limit=20&pageToken=${first.body.nextPageToken}`);
    expect(second.body).toMatchObject({ nextPageToken: null });
    const ids = [...first.body.data, ...second.body.data].map(({ id }: any) => id);
    expect(new Set(ids)).toEqual(new Set(responses.map(({ body }) => body.id)));
  });

  it("returns models and their configurations from the deployments paths", async () => {
    const models = await rest.get(`/api/v1/projects/${office.projectId}/deployments`);
    expect(models.body.data.map(({ name }: any) => name)).toEqual(["Invoices", "Receipts"]);
    const configuration = async (id: string) => (await rest.get(`/api/v1/deployments/${id}/configuration`)).body;
    expect(await configuration(office.invoices)).toMatchObject({ extractionSchemaId: office.secondSchema, version: 2 });
    expect(await configuration(office.deployment)).toMatchObject({
      extractionSchemaId: office.firstSchema,
      deployment: { id: office.deployment, type: "PRODUCTION" },
    });
    expect(await configuration(office.firstSchema)).toMatchObject({
      version: 1,
      deployment: { id: office.invoices, type: "MODEL" },
    });
    const removed = await rest.get("/api/v1/projects/anything/schema?x=1");
    expect(removed).toMatchObject({ status: 410, body: { code: "ENDPOINT_REMOVED" } });
    expect(removed.body.replacements).toHaveLength(2);
    expect(removed.headers.get("link")).toMatch(/rel="successor-version"/);
  });
}

async function encryptedPdf(): Promise<Uint8Array> {
  const document = new PDFDocument({ userPassword: "secret", ownerPassword: "owner", pdfVersion: "1.7" });
  const chunks: Buffer[] = [];
  document.on("data", (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise((resolve) => document.once("end", resolve));
  document.text("Invoice 1");
  document.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}
