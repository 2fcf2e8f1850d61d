import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { EventService, ProjectEventKind } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { beginning, createRest } from "../../rest.ts";
import type { Running } from "../../system.ts";
import { finishedExecution } from "../testing/benchmarks.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";
import { listen } from "../testing/project-events.ts";
import { invoiceText } from "../testing/sample-world.ts";

describe("13 the events of a project", () => {
  const given = givenOffice();
  const open = (projectId = given.office.projectId, token = given.system.token) =>
    listen(given.system.url, token, projectId);
  const classify = (body: object) =>
    getBody(given.rest.post(`/api/v1/classify/${given.office.classifier}/classifications`, body), 201);

  it("are what happens to records, extractions, reviews, benchmark runs and jobs from now on", async () => {
    const { rest, office } = given;
    const before = await classify({ text: invoiceText, extract: false });
    const events = await open();
    expect(events.text()).toBe(beginning);
    const record = await classify({ text: invoiceText });
    const classified = await events.event("CLASSIFICATION", record.id, "CLASSIFIED");
    expect(classified).toEqual({ kind: "CLASSIFICATION", id: record.id, status: "CLASSIFIED", at: record.createdAt });
    await events.event("EXTRACTION", record.extraction.id, "RUNNING");
    const { completedAt } = await finishedExtraction(rest, record.extraction.id);
    expect((await events.event("EXTRACTION", record.extraction.id, "COMPLETED")).at).toBe(completedAt);
    const blank = await classify({ text: " " });
    await events.event("CLASSIFICATION", blank.id, "UNCLASSIFIED");

    const path = `/api/v1/classify/${office.classifier}/classifications/${record.id}`;
    const { review } = await getBody(rest.post(`${path}:review`, { routeId: record.routeId, extract: false }), 200);
    expect((await events.event("REVIEW", record.id, "REVIEWED")).at).toBe(review.reviewedAt);
    await getBody(rest.send(`${path}/review`, { method: "DELETE" }), 204);
    await events.event("REVIEW", record.id, "REMOVED");

    const tables = [{ slug: "invoice", rows: [{ values: { invoice_number: "4711" } }] }];
    const body = JSON.stringify({ deploymentId: office.invoices, tables });
    const headers = { "content-type": "application/json" };
    await getBody(rest.send(`/api/v1/files/${record.fileId}/accepted-values`, { method: "PUT", headers, body }), 200);
    const run = { deploymentId: office.invoices, name: "Nightly" };
    const { executionId } = await getBody(rest.post(`/api/v1/projects/${office.projectId}/benchmarks`, run), 201);
    await events.event("BENCHMARK", executionId, "RUNNING");
    await finishedExecution(rest, executionId);
    await events.event("BENCHMARK", executionId, "COMPLETED");

    const { id: jobId } = await getBody(rest.post(`/api/v1/deployments/${office.invoices}:extractAll`, {}), 201);
    await events.event("JOB", jobId, "RUNNING");
    await events.event("JOB", jobId, "COMPLETED");
    expect(events.text()).not.toContain(before.id);
    const lines = events
      .text()
      .split("\n")
      .filter((line) => line.startsWith("data: "));
    expect(new Set(lines).size).toBe(lines.length);
    await events.close();
  });

  it("are those of the project only, also as JSON lines and over gRPC", async () => {
    const { rest, system, office } = given;
    const { id: other } = await getBody(rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
    const elsewhere = await open(other);
    const lines = await listen(system.url, system.token, office.projectId, "application/x-ndjson");
    expect(lines.text()).toBe("\n");
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` });
    const ending = new AbortController();
    const options = { headers: { authorization: `Bearer ${system.token}` }, signal: ending.signal };
    const stream = createClient(EventService, transport).watchProjectEvents({ projectId: office.projectId }, options);
    const messages = stream[Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ kind: ProjectEventKind.UNSPECIFIED, id: "" });
    const record = await classify({ text: " " });
    expect((await messages.next()).value).toMatchObject({
      ...{ kind: ProjectEventKind.CLASSIFICATION, id: record.id, status: "UNCLASSIFIED" },
    });
    await lines.event("CLASSIFICATION", record.id, "UNCLASSIFIED");
    expect(elsewhere.text()).toBe(beginning);
    ending.abort();
    await expect(messages.next()).rejects.toThrow();
    await Promise.all([elsewhere.close(), lines.close()]);
  });

  it("need documents:read, and then a project in reach", async () => {
    const { rest, system, office } = given;
    const token = async (body: object) =>
      (await getBody(rest.post("/api/v1/tokens", { name: "Less", scope: "PROJECT", ...body }), 201)).secret;
    const { id: other } = await getBody(rest.post("/api/v1/projects", { name: "Out of reach" }), 201);
    const [blind, bound] = await Promise.all([
      token({ projectId: office.projectId, permissions: ["classify"] }),
      token({ projectId: office.projectId, permissions: ["documents:read"] }),
    ]);
    const ask = (secret: string, projectId: string) =>
      refusal(createRest(system.url, secret).get(`/api/v1/projects/${projectId}/events`));
    expect(await ask(blind, office.projectId)).toBe("403 MISSING_PERMISSION");
    expect(await ask(bound, other)).toBe("403 PROJECT_OUT_OF_REACH");
    expect(await ask(bound, "prj_none")).toBe("404 PROJECT_NOT_FOUND projectId");
    const outsider = await system.anotherOrganization("Umbrella");
    expect(await ask(outsider, office.projectId)).toBe("404 PROJECT_NOT_FOUND projectId");
    expect(await refusal(rest.get(`/api/v1/projects/${other}/events?kind=JOB`))).toBe("400 INVALID_REQUEST kind");
  });

  it("end when access ends, and when the project is deleted", async () => {
    const { rest, office } = given;
    const permissions = ["documents:read"];
    const { id: other } = await getBody(rest.post("/api/v1/projects", { name: "Soon gone" }), 201);
    const token = { name: "Listener", scope: "PROJECT", projectId: office.projectId, permissions };
    const issued = await getBody(rest.post("/api/v1/tokens", token), 201);
    const [revoked, deleted] = [await open(office.projectId, issued.secret), await open(other)];
    await getBody(rest.send(`/api/v1/tokens/${issued.id}`, { method: "DELETE" }), 204);
    await getBody(rest.send(`/api/v1/projects/${other}`, { method: "DELETE" }), 204);
    await Promise.all([revoked.ended(), deleted.ended()]);
    expect(revoked.text()).toContain('"code":"TOKEN_INVALID"');
    expect(deleted.text()).toContain('"code":"ACCESS_LOST"');
  });
});

describe("13 the events of a project, with replicas of the services", () => {
  let replica: Running;
  // Before the system with its database, for which the replica would wait.
  afterAll(() => replica?.close());
  const given = givenOffice("replicas");
  beforeAll(async () => {
    replica = await given.system.replica();
  });

  it("arrive from every replica", async () => {
    const { system, office } = given;
    const urls = [system.url, replica.url];
    const streams = await Promise.all(urls.map((url) => listen(url, system.token, office.projectId)));
    for (const url of urls) {
      const path = `/api/v1/classify/${office.classifier}/classifications`;
      const record = await getBody(createRest(url, system.token).post(path, { text: invoiceText }), 201);
      const answeredAt = Date.now();
      for (const stream of streams) {
        await stream.event("CLASSIFICATION", record.id, "CLASSIFIED");
        await stream.event("EXTRACTION", record.extraction.id, "COMPLETED");
      }
      console.info(`events of ${url} arrived ${Date.now() - answeredAt} ms after the response`);
    }
    await Promise.all(streams.map((stream) => stream.close()));
  });
});
