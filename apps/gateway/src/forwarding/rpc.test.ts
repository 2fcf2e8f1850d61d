import { credentials, makeGenericClientConstructor, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Health } from "@switchyard/contracts/grpc/health/v1/health";
import { ServerReflection } from "@switchyard/contracts/grpc/reflection/v1/reflection";
import { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { GetMeRequestSchema, IdentityService, MeSchema } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts } from "@switchyard/rpc";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const transports: readonly [string, () => Transport][] = [
  ["Connect, JSON", () => createConnectTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" })],
  [
    "Connect, binary",
    () => createConnectTransport({ baseUrl: system.gateway.url, httpVersion: "1.1", useBinaryFormat: true }),
  ],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" })],
  ["gRPC", () => createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` })],
];
const authorized = () => ({ headers: { authorization: `Bearer ${system.token}` } });

async function failure(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => ConnectError.from(error),
  );
}

it.each([
  ["an unknown field", "AddRoute", { classifierId: "clf_1", modelId: "mdl_1", deploymentID: "dep_1" }],
  ["an unknown name of an enum value", "ListClassifications", { classifierId: "clf_1", status: "CLASSIFIED" }],
  ["an unknown field beside a time", "ListClassifications", { classifierId: "clf_1", form: "2026-01-31T12:00:00Z" }],
])("refuses JSON with %s", async (_title, method, message) => {
  const response = await fetch(`${system.gateway.url}/switchyard.classifier.v1.ClassifierService/${method}`, {
    method: "POST",
    headers: { ...authorized().headers, "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  expect([response.status, await response.json()]).toMatchObject([400, { code: "invalid_argument" }]);
});

describe("responses to calls over HTTP/1.1 have the headers of HTTP", () => {
  const path = "/switchyard.classifier.v1.ClassifierService/ListClassifiers";
  const json = { "content-type": "application/json" };
  const send = (method: string, headers: Record<string, string>) =>
    fetch(`${system.gateway.url}${path}`, {
      ...{ method, headers },
      ...(method === "POST" ? { body: '{"projectId":"prj_1"}' } : {}),
    });
  const allHave = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

  it.each([
    ["a response", "POST", true, json, 200, {}],
    ["a call without a token", "POST", false, json, 401, { "www-authenticate": "Bearer" }],
    [
      "another protocol without a token",
      "POST",
      false,
      { "content-type": "a/b" },
      401,
      { "www-authenticate": "Bearer" },
    ],
    ["another method of HTTP", "PUT", true, json, 405, { allow: "GET, HEAD, OPTIONS, POST" }],
    ["OPTIONS", "OPTIONS", true, {}, 204, { allow: "GET, HEAD, OPTIONS, POST" }],
    ["OPTIONS without a token", "OPTIONS", false, {}, 401, { "www-authenticate": "Bearer" }],
    ["another protocol", "POST", true, { "content-type": "a/b" }, 415, {}],
  ] as const)("%s", async (_title, method, hasToken, own, status, expected) => {
    const response = await send(method, { ...own, ...(hasToken ? authorized().headers : {}), "x-request-id": "r-1" });
    expect(response.status).toBe(status);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({ ...allHave, ...expected, "x-request-id": "r-1" });
  });
});

describe.each(transports)("over %s", (_title, transport) => {
  it("forwards unary calls, and errors with their details", async () => {
    const client = createClient(ClassifierService, transport());
    const list = await client.listClassifiers({ projectId: "prj_1" }, authorized());
    expect(list.classifiers[0]?.projectId).toBe("prj_1");
    const error = await failure(client.addRoute({ classifierId: "clf_1", modelId: "mdl_taken" }, authorized()));
    expect(getProblemFacts(error)).toMatchObject({
      code: Code.AlreadyExists,
      reason: "ROUTE_EXISTS",
      metadata: { existingRouteId: "rte_9" },
    });
  });

  it("takes deadlines that no timer can wait for", async () => {
    const client = createClient(BenchmarkService, transport());
    for (const far of [
      { "grpc-timeout": "99999999H", "connect-timeout-ms": "9999999999" },
      { "grpc-timeout": "2147484S", "connect-timeout-ms": "2147483648" },
    ]) {
      const statuses: unknown[] = [];
      const headers = { ...authorized().headers, ...far };
      for await (const { status: state } of client.watchExecution({ executionId: "slow" }, { headers }))
        statuses.push(state);
      expect(statuses).toHaveLength(2);
    }
  });

  it("streams files in both directions", async () => {
    const client = createClient(ExtractionService, transport());
    async function* upload(complete: boolean) {
      yield { projectId: "prj_1", filename: "a.bin" };
      for (let index = 0; index < 20; index += 1) yield { data: new Uint8Array(50_000).fill(index) };
      if (complete) yield { last: true };
    }
    expect(await client.uploadFile(upload(true), authorized())).toMatchObject({ filename: "a.bin", size: 1_000_000 });
    expect(getProblemFacts(await failure(client.uploadFile(upload(false), authorized())))).toMatchObject({
      code: Code.InvalidArgument,
      reason: "UPLOAD_INCOMPLETE",
    });
    let size = 0;
    let name: string | null = null;
    const options = { ...authorized(), onHeader: (header: Headers) => (name = header.get("x-file-name")) };
    for await (const part of client.getFileContent({ fileId: "fil_1" }, options)) size += part.data.length;
    expect(size).toBe(5 + 40 * 65_536);
    expect(decodeURIComponent(name ?? "")).toBe('Größe "1".pdf');
  });

  it("checks the token first, and then permissions", async () => {
    const identity = createClient(IdentityService, transport());
    expect((await failure(identity.getMe({}))).code).toBe(Code.Unauthenticated);
    const forged = { headers: { "x-switchyard-identity": "forged" } };
    expect((await failure(identity.getMe({}, forged))).code).toBe(Code.Unauthenticated);
    const configuration = createClient(ConfigurationService, transport());
    expect((await failure(configuration.getProjectSchema({ projectId: "p" }))).code).toBe(Code.Unauthenticated);
    expect(
      getProblemFacts(await failure(configuration.getProjectSchema({ projectId: "p" }, authorized()))),
    ).toMatchObject({
      code: Code.Unimplemented,
      reason: "ENDPOINT_REMOVED",
    });
    const limited = { headers: { authorization: `Bearer ${system.readOnlyToken}` } };
    const classifiers = createClient(ClassifierService, transport());
    expect(getProblemFacts(await failure(classifiers.addRoute({ classifierId: "c" }, limited)))).toMatchObject({
      code: Code.PermissionDenied,
      reason: "MISSING_PERMISSION",
    });
  });

  it("supports reflection for the public services only", async () => {
    async function* ask() {
      yield { messageRequest: { case: "listServices" as const, value: "*" } };
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: IdentityLookupService.typeName } };
    }
    const responses = [];
    for await (const { messageResponse } of createClient(ServerReflection, transport()).serverReflectionInfo(ask()))
      responses.push(messageResponse);
    expect(responses).toMatchObject([
      {
        case: "listServicesResponse",
        value: { service: expect.arrayContaining([expect.objectContaining({ name: ClassifierService.typeName })]) },
      },
      { case: "errorResponse", value: { errorCode: Code.NotFound } },
    ]);
  });

  it("reports with an Unavailable error when to retry", async () => {
    const client = createClient(IdentityService, transport());
    const error = await failure(client.getProject({ projectId: "full" }, authorized()));
    expect(getProblemFacts(error)).toMatchObject({ reason: "STORAGE_FULL", retryAfterSeconds: 10 });
    expect(error.metadata.get("retry-after")).toBe("10");
  });

  it("does not reveal internal errors, or serve internal services", async () => {
    const error = await failure(
      createClient(IdentityService, transport()).getProject({ projectId: "boom" }, authorized()),
    );
    expect(error.code).toBe(Code.Internal);
    expect(error.message).not.toContain("secret detail");
    const lookup = createClient(IdentityLookupService, transport());
    expect((await failure(lookup.verifyToken({ secret: "x" }, authorized()))).code).toBe(Code.Unimplemented);
    const audit = createClient(AuditService, transport());
    expect((await failure(audit.recordRefusal({}, authorized()))).code).toBe(Code.Unimplemented);
  });
});

describe("the gRPC port", () => {
  it("supports a client of another implementation", async () => {
    const { getMe } = IdentityService.method;
    const Client = makeGenericClientConstructor(
      {
        getMe: {
          path: `/${IdentityService.typeName}/${getMe.name}`,
          requestStream: false,
          responseStream: false,
          requestSerialize: (message: Parameters<typeof toBinary<typeof GetMeRequestSchema>>[1]) =>
            Buffer.from(toBinary(GetMeRequestSchema, message)),
          requestDeserialize: (bytes: Buffer) => fromBinary(GetMeRequestSchema, bytes),
          responseSerialize: (message: Parameters<typeof toBinary<typeof MeSchema>>[1]) =>
            Buffer.from(toBinary(MeSchema, message)),
          responseDeserialize: (bytes: Buffer) => fromBinary(MeSchema, bytes),
        },
      },
      IdentityService.typeName,
    );
    const client = new Client(`127.0.0.1:${system.gateway.grpcPort}`, credentials.createInsecure());
    const call = (metadata: Metadata) =>
      new Promise<{ error: ServiceError | null; me: unknown }>((resolve) => {
        const method = (client as unknown as Record<string, (...parameters: unknown[]) => void>)["getMe"];
        method?.call(
          client,
          { $typeName: GetMeRequestSchema.typeName },
          metadata,
          (error: ServiceError | null, me: unknown) => resolve({ error, me }),
        );
      });
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${system.token}`);
    expect(await call(metadata)).toMatchObject({ error: null, me: { user: { name: "Ada" } } });
    expect((await call(new Metadata())).error?.code).toBe(status.UNAUTHENTICATED);
    client.close();
  });

  it.each([
    ["with", () => authorized()],
    ["without", () => ({})],
  ])("serves health and reflection of the public services %s a token", async (_title, options) => {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` });
    const health = await createClient(Health, transport).check({ service: IdentityService.typeName }, options());
    expect(health.status).toBe(1);
    async function* ask() {
      yield { messageRequest: { case: "listServices" as const, value: "*" } };
    }
    const names: string[] = [];
    for await (const response of createClient(ServerReflection, transport).serverReflectionInfo(ask(), options()))
      if (response.messageResponse.case === "listServicesResponse")
        names.push(...response.messageResponse.value.service.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining([IdentityService.typeName, ClassifierService.typeName]));
    expect(names).not.toContain(IdentityLookupService.typeName);
  });
});
