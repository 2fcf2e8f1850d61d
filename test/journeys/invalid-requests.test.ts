import { Agent, request as httpRequest } from "node:http";
import PDFDocument from "pdfkit";
import { createRest } from "../rest.ts";
import type { RestResponse, Rest } from "../rest.ts";
import type { TestSystem } from "../system.ts";
import { startTestSystem } from "../system.ts";
import { createOffice, sample } from "./fixture.ts";
import type { Office } from "./fixture.ts";

const members = ["type", "title", "status", "detail", "instance", "code", "requestId", "errors"];

/** Bad input over REST: each fault has its status and a body that describes it. */
describe("REST requests", () => {
  let system: TestSystem;
  let rest: Rest;
  let office: Office;
  beforeAll(async () => {
    system = await startTestSystem("one process", { readTimeoutMs: 3_000 });
    rest = createRest(system.url, system.token);
    office = await createOffice(rest, "Accounts payable");
  });
  afterAll(() => system?.close());

  function expectProblem(response: RestResponse, status: number, code: string, field?: string): void {
    expect({ status: response.status, code: response.body?.code, text: response.text }).toMatchObject({ status, code });
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(Object.keys(response.body)).toEqual(expect.arrayContaining(members));
    if (field !== undefined) expect(response.body.errors.map((error: any) => error.field)).toContain(field);
  }
  const send = (body: string, type = "application/json") =>
    rest.send(`/api/v1/classify/${office.classifier}`, { method: "POST", body, headers: { "content-type": type } });

  it("are 401 before any other check if the token is missing or wrong", async () => {
    for (const token of [undefined, "x", system.token.slice(0, -1) + (system.token.endsWith("a") ? "b" : "a")]) {
      const outsider = createRest(system.url, token);
      for (const path of ["/api/v1/classify", "/api/v1/nothing", "/api/v1/projects/p/schema"]) {
        const response = await outsider.get(path);
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
        expect(Object.keys(response.body)).toEqual(expect.arrayContaining(members));
      }
    }
  });

  it("are 400 with the name of the invalid field", async () => {
    expectProblem(await send("{"), 400, "INVALID_REQUEST");
    expectProblem(await send('{"text":"a","surprise":1}'), 400, "INVALID_REQUEST", "surprise");
    expectProblem(await send('{"file_id":"fil_1"}'), 400, "INVALID_REQUEST", "file_id");
    expectProblem(await send('{"text":"a","text":"b"}'), 400, "INVALID_REQUEST", "text");
    expectProblem(await send('{"text":{"$ne":null}}'), 400, "INVALID_REQUEST", "text");
    expectProblem(await send("{}"), 400, "INVALID_REQUEST");
    expectProblem(await send('{"text":""}'), 400, "EMPTY_FILE", "text");
    expectProblem(await send('{"content":{"filename":"a.pdf","contentType":"","data":"%%"}}'), 400, "INVALID_REQUEST");
    expectProblem(await send("text=a", "text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE");
    const scope = await rest.post("/api/v1/classify", { projectId: office.projectId, name: "x", isGlobal: true });
    expectProblem(scope, 400, "INVALID_REQUEST", "isGlobal");
    expectProblem(await rest.get("/api/v1/classify"), 400, "INVALID_REQUEST", "projectId");
    expectProblem(await rest.get(`/api/v1/classify?projectId[$ne]=x`), 400, "INVALID_REQUEST");
  });

  it("are 404 for unknown or foreign resources, and 405 for an unsupported method", async () => {
    expectProblem(await rest.get("/api/v1/nothing"), 404, "NOT_FOUND");
    const wrongMethod = await rest.send("/api/v1/classify", { method: "DELETE" });
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get("allow")).toContain("GET");
    expectProblem(await rest.get("/api/v1/classify/clf_unknown"), 404, "CLASSIFIER_NOT_FOUND");
    const outsider = createRest(system.url, await system.anotherOrganization("Elsewhere"));
    for (const path of [
      `/api/v1/classify/${office.classifier}`,
      `/api/v1/classify?projectId=${office.projectId}`,
      `/api/v1/projects/${office.projectId}/deployments`,
      `/api/v1/deployments/${office.invoices}/configuration`,
      `/api/v1/projects/${office.projectId}/files`,
    ]) {
      expect((await outsider.get(path)).status).toBe(404);
    }
    expect((await outsider.post(`/api/v1/classify/${office.classifier}`, { text: "x" })).status).toBe(404);
  });

  it("are 413 before they are read if they are too large", async () => {
    const big = "a".repeat(40 * 1024 * 1024);
    expectProblem(await send(JSON.stringify({ text: big })), 413, "PAYLOAD_TOO_LARGE");
    expectProblem(await send(JSON.stringify({ text: "a".repeat(1024 * 1024 + 1) })), 413, "PAYLOAD_TOO_LARGE", "text");
    const upload = await rest.upload(
      `/api/v1/projects/${office.projectId}/files`,
      "big.txt",
      new Uint8Array(26 * 1024 * 1024).fill(97),
    );
    expectProblem(upload, 413, "PAYLOAD_TOO_LARGE");
  });

  it("can contain a base64 file of 25 MiB, but not one byte more", async () => {
    const content = (bytes: number) => {
      const data = Buffer.alloc(bytes, "a word of text, then the next\n").toString("base64");
      return rest.post(`/api/v1/classify/${office.classifier}`, {
        content: { filename: "long.txt", contentType: "", data },
      });
    };
    expect((await content(25 * 1024 * 1024)).status).toBe(201);
    expectProblem(await content(25 * 1024 * 1024 + 1), 413, "PAYLOAD_TOO_LARGE", "content.data");
  });

  it("leave the connection usable after an error", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (method: string, path: string, body?: Uint8Array) =>
      new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${system.token}`, "content-type": "application/pdf" };
        const request = httpRequest(`${system.url}${path}`, { method, agent, headers }, (response) => {
          response.resume().on("end", () => resolve({ status: response.statusCode, reused: request.reusedSocket }));
        });
        request.on("error", reject).end(body);
      });
    const refused = await send("POST", "/api/v1/projects/prj_none/files?filename=a.pdf", new Uint8Array(600_000));
    expect(refused.status).toBe(404);
    expect(await send("GET", "/api/v1/me")).toEqual({ status: 200, reused: true });
    agent.destroy();
  });

  it("store nothing if the file is empty or the upload is aborted", async () => {
    const files = `/api/v1/projects/${office.projectId}/files`;
    const before = (await rest.get(files)).body.data.map(({ id }: any) => id);
    expectProblem(await rest.upload(files, "empty.pdf", new Uint8Array()), 400, "EMPTY_FILE", "file");
    expectProblem(
      await rest.upload(`/api/v1/classify/${office.classifier}`, "empty.pdf", new Uint8Array()),
      400,
      "EMPTY_FILE",
    );
    await breakOff(`${system.url}${files}?filename=half.pdf`, system.token);
    expect((await rest.get(files)).body.data.map(({ id }: any) => id)).toEqual(before);
  });

  it("for invalid routes are rejected with the documented reason", async () => {
    const routes = `/api/v1/classify/${office.classifier}/routes`;
    const taken = await rest.post(routes, { deploymentId: office.receipts });
    expectProblem(taken, 409, "ROUTE_EXISTS");
    expect(taken.body.existingRouteId).toMatch(/^rte_/);
    expectProblem(await rest.post(routes, { deploymentId: office.deployment }), 404, "MODEL_NOT_FOUND", "deploymentId");
    expectProblem(
      await rest.post(routes, { deploymentId: office.receipts, targetDeploymentId: office.deployment }),
      400,
      "DEPLOYMENT_OF_ANOTHER_MODEL",
      "targetDeploymentId",
    );
    const bare = await rest.post(`/api/v1/projects/${office.projectId}/deployments`, { name: "Bare" });
    expectProblem(await rest.post(routes, { deploymentId: bare.body.id }), 400, "MODEL_HAS_NO_SCHEMA", "deploymentId");
    const both = await Promise.all(
      [1, 2].map(() => rest.post(routes, { deploymentId: office.invoices, targetDeploymentId: null })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("list classifiers as a bare array, with each route and its target", async () => {
    const other = await createOffice(rest, "Empty office");
    expect((await rest.get(`/api/v1/classify?projectId=${other.projectId}`)).body).toHaveLength(1);
    const [classifier] = (await rest.get(`/api/v1/classify?projectId=${other.projectId}`)).body;
    expect(classifier.classificationCount).toBe(0);
    expect(classifier.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [pinned, direct] = classifier.deploymentRoutes;
    expect(pinned.targetDeployment).toEqual({ id: other.deployment, name: "Invoices, stable", status: "ACTIVE" });
    expect(direct).toMatchObject({ targetDeploymentId: null, targetDeployment: null, deployment: { type: "MODEL" } });
  });

  it("are served while a slow document reaches its time limit", async () => {
    const slow = rest.upload(`/api/v1/classify/${office.classifier}`, "slow.pdf", await slowPdf());
    const quick = await rest.upload(
      `/api/v1/classify/${office.classifier}`,
      "quick.pdf",
      await sample("receipt-coffee.pdf"),
    );
    expect(quick.body).toMatchObject({ status: "CLASSIFIED", routeName: "Receipt" });
    const response = await slow;
    expect(response).toMatchObject({
      status: 201,
      body: { status: "UNCLASSIFIED", reason: { code: "UNREADABLE_FILE" } },
    });
  });
});

/** Sends the headers and a part of the body of an upload, then closes the connection. */
function breakOff(url: string, token: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/pdf", "content-length": "100000" };
    const request = httpRequest(url, { method: "POST", headers });
    request.on("error", () => undefined);
    request.on("close", () => setTimeout(resolve, 300));
    request.write("%PDF-1.7 half", () => setTimeout(() => request.destroy(), 100));
  });
}

/** A page of 25 million operators that draw nothing. It has few kilobytes, and takes far longer to read than the limit allows. */
async function slowPdf(): Promise<Uint8Array> {
  const document = new PDFDocument();
  const chunks: Buffer[] = [];
  document.on("data", (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise((resolve) => document.once("end", resolve));
  document.addContent("q Q ".repeat(25_000_000));
  document.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}
