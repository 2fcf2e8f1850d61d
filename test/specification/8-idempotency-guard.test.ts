import { toJson } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { publicServices } from "@switchyard/gateway";
import { createRestApi } from "@switchyard/rest";
import { factsOf, takesIdempotencyKey } from "@switchyard/rpc";
import { createRest } from "../rest.ts";
import type { Answer } from "../rest.ts";
import { finishedExtraction } from "../journeys/fixture.ts";
import type { Office } from "../journeys/fixture.ts";
import { bodyOf, givenOffice } from "./office.ts";

/** A POST: with a body, or with a file as a form. */
type Post = { path: string; body: object } | { path: string; file: string };

/** What there is in the office besides; the file is accepted for the model of receipts. */
interface Ids {
  fileId: string;
  tokenId: string;
  otherTokenId: string;
  extractionId: string;
  executionId: string;
}

/** A request, and another one that must not pass for it. */
type Requests = (office: Office & Ids) => {
  one: Post;
  other: Post;
};

const named = (path: string, body: object = {}) => ({
  one: { path, body: { name: "One", ...body } },
  other: { path, body: { name: "Another", ...body } },
});
const verb = (name: string, path: string, otherPath: string, body: object = {}) => ({
  one: { path: `${path}:${name}`, body },
  other: { path: `${otherPath}:${name}`, body },
});

/** One for every method that takes a key; one without an entry fails. */
const requestsOf: Readonly<Record<string, Requests>> = {
  "IdentityService.CreateProject": () => named("/api/v1/projects"),
  "IdentityService.CreateTeam": () => named("/api/v1/teams"),
  "IdentityService.CreateUser": () => named("/api/v1/users"),
  "IdentityService.CreateToken": ({ projectId }) =>
    named("/api/v1/tokens", { scope: "PROJECT", projectId, permissions: ["classify"] }),
  "IdentityService.RotateToken": ({ tokenId, otherTokenId }) =>
    verb("rotate", `/api/v1/tokens/${tokenId}`, `/api/v1/tokens/${otherTokenId}`, { graceSeconds: 60 }),
  "ConfigurationService.CreateModel": ({ projectId }) => named(`/api/v1/projects/${projectId}/deployments`),
  "ConfigurationService.CreateDeployment": ({ invoices }) => named(`/api/v1/deployments/${invoices}/deployments`),
  "ConfigurationService.Pause": ({ receipts, invoices }) =>
    verb("pause", `/api/v1/deployments/${receipts}`, `/api/v1/deployments/${invoices}`),
  "ConfigurationService.Resume": ({ receipts, invoices }) =>
    verb("resume", `/api/v1/deployments/${receipts}`, `/api/v1/deployments/${invoices}`),
  "ExtractionService.UploadFile": ({ projectId }) => ({
    one: { path: `/api/v1/projects/${projectId}/files`, file: "One invoice" },
    other: { path: `/api/v1/projects/${projectId}/files`, file: "Another invoice" },
  }),
  "ExtractionService.CreateExtraction": ({ invoices, receipts, fileId }) => ({
    one: { path: `/api/v1/deployments/${invoices}/extractions`, body: { fileId } },
    other: { path: `/api/v1/deployments/${receipts}/extractions`, body: { fileId } },
  }),
  "AcceptedValuesService.AcceptExtraction": ({ extractionId }) =>
    verb("accept", `/api/v1/extractions/${extractionId}`, "/api/v1/extractions/ext_another"),
  "AcceptedValuesService.ImportAcceptedValues": ({ projectId, receipts, fileId }) => {
    const path = `/api/v1/projects/${projectId}/accepted-values:import`;
    const line = (total: number) => JSON.stringify({ fileId, deploymentId: receipts, values: { total } });
    return { one: { path, file: line(1) }, other: { path, file: line(2) } };
  },
  "BenchmarkService.CreateExecution": ({ projectId, receipts }) =>
    named(`/api/v1/projects/${projectId}/benchmarks`, { deploymentId: receipts }),
  "BenchmarkService.CancelExecution": ({ executionId }) =>
    verb("cancel", `/api/v1/benchmarks/${executionId}`, "/api/v1/benchmarks/bmk_another"),
  "ClassifierService.CreateClassifier": ({ projectId }) => named("/api/v1/classify", { projectId }),
  "ClassifierService.AddRoute": ({ classifier, invoices }) =>
    named(`/api/v1/classify/${classifier}/routes`, { deploymentId: invoices }),
  "ClassifierService.Classify": ({ classifier }) => ({
    one: { path: `/api/v1/classify/${classifier}`, body: { text: "Invoice No. 1, total due 10.00" } },
    other: { path: `/api/v1/classify/${classifier}`, body: { text: "Invoice No. 2, total due 10.00" } },
  }),
  "ClassifierService.MakeGlobal": ({ classifier }) =>
    verb("makeGlobal", `/api/v1/classify/${classifier}`, "/api/v1/classify/clf_another"),
};

const services = publicServices.map(({ service }) => service);
const methods = services.flatMap((service) => service.methods).filter(takesIdempotencyKey);
const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;
const givesSecret = (method: DescMethod) => method.output.field["secret"] !== undefined;

/** Section 8, for every method by itself: what takes a key is told by the contracts. */
describe("every POST", () => {
  const given = givenOffice();
  const api = createRestApi(services);
  let office: Parameters<Requests>[0];

  beforeAll(async () => {
    const { rest } = given;
    const file = await bodyOf(
      rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "a.txt", Buffer.from("Invoice No. 7")),
      201,
    );
    const body = { name: "Turning", scope: "PROJECT", projectId: given.office.projectId, permissions: ["classify"] };
    const tokenId = (await bodyOf(rest.post("/api/v1/tokens", body), 201)).id;
    const otherTokenId = (await bodyOf(rest.post("/api/v1/tokens", body), 201)).id;
    const { projectId, invoices, receipts } = given.office;
    const extraction = await bodyOf(rest.post(`/api/v1/deployments/${invoices}/extractions`, { fileId: file.id }), 201);
    await finishedExtraction(rest, extraction.id);
    const line = JSON.stringify({ fileId: file.id, deploymentId: receipts, values: { total: 7 } });
    await bodyOf(
      rest.upload(`/api/v1/projects/${projectId}/accepted-values:import`, "a.jsonl", Buffer.from(line)),
      200,
    );
    const run = { deploymentId: receipts, name: "Run" };
    const { executionId } = await bodyOf(rest.post(`/api/v1/projects/${projectId}/benchmarks`, run), 201);
    const ids = { fileId: file.id, tokenId, otherTokenId, extractionId: extraction.id, executionId };
    office = { ...given.office, ...ids };
  });

  function post(request: Post, key: string): Promise<Answer> {
    const keyed = createRest(given.system.url, given.system.token, { "idempotency-key": key });
    if ("body" in request) return keyed.post(request.path, request.body);
    return keyed.upload(request.path, "document.txt", Buffer.from(request.file));
  }

  it("of the contracts has requests in this file, and no other has", () => {
    expect(Object.keys(requestsOf).sort()).toEqual(methods.map(nameOf).sort());
  });

  it("is described with its header, and nothing else is", async () => {
    const { paths } = (await given.rest.get("/openapi.json")).body;
    const described = Object.values<any>(paths).flatMap((path) =>
      Object.values<any>(path).filter(({ parameters }) => JSON.stringify(parameters).includes("IdempotencyKey")),
    );
    const operations = described.map(({ operationId }) => operationId.replace("_", ".").replace(/_\d$/, ""));
    expect([...new Set(operations)].sort()).toEqual(methods.map(nameOf).sort());
  });

  it.each(methods.map((method) => [nameOf(method), method] as const))("%s honours its key", async (name, method) => {
    const requests = requestsOf[name]?.(office);
    if (requests === undefined) throw new Error(`${name} has no requests in this file`);
    const { one, other } = requests;
    const match = api.match("POST", one.path);
    if (match.kind !== "found") throw new Error(`${one.path} is no endpoint`);
    expect(nameOf(match.target.route.method)).toBe(name);

    const first = await post(one, `guard ${name}`);
    expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([match.target.route.successStatus, null]);
    const again = await post(one, `guard ${name}`);
    if (givesSecret(method)) {
      expect([again.status, again.body.code]).toEqual([409, "SECRET_ALREADY_ISSUED"]);
    } else {
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([first.status, "true"]);
      expect(again.text).toBe(first.text);
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
    }
    const reused = await post(other, `guard ${name}`);
    expect([reused.status, reused.body.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);

    // The same message over gRPC is the same request.
    if (method.methodKind !== "unary" || !("body" in one)) return;
    const read = match.target.read({
      variables: match.variables,
      query: "",
      body: Buffer.from(JSON.stringify(one.body)),
    });
    if (!read.ok) throw new Error(JSON.stringify(read.violations));
    const outcome = await call(method as DescMethodUnary<DescMessage, DescMessage>, read.value, `guard ${name}`);
    if (givesSecret(method)) expect(outcome).toEqual({ reason: "SECRET_ALREADY_ISSUED" });
    else expect(outcome).toMatchObject({ replayed: "true", id: first.body.id });
  });

  async function call(
    method: DescMethodUnary<DescMessage, DescMessage>,
    message: Message,
    key: string,
  ): Promise<object> {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` });
    const headers = { authorization: `Bearer ${given.system.token}`, "idempotency-key": key };
    try {
      const answer = await transport.unary(method, undefined, 20_000, headers, message);
      const { id } = toJson(method.output, answer.message) as { id?: string };
      return { replayed: answer.header.get("idempotency-replayed"), id };
    } catch (error) {
      return { reason: factsOf(error).reason };
    }
  }
});
