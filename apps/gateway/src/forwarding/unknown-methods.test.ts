import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts } from "@switchyard/rpc";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const paths = ["/switchyard.identity.v1.IdentityService/Missing", "/no.such.v1.Service/Method"];
const post = (path: string, type: string, body: Uint8Array<ArrayBuffer> | string = "{}") =>
  fetch(`${system.gateway.url}${path}`, { method: "POST", body, headers: { "content-type": type } });

describe.each(paths)("a call of %s", (path) => {
  it("is Unimplemented over Connect", async () => {
    for (const type of ["application/json", "application/proto"]) {
      const response = await post(path, type);
      expect([response.status, response.headers.get("content-type")]).toEqual([501, "application/json"]);
      expect(await response.json()).toMatchObject({ code: "unimplemented", message: "There is no such method." });
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("is Unimplemented in the last message of a Connect stream", async () => {
    const response = await post(path, "application/connect+json");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/connect+json"]);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([bytes[0], bytes.readUInt32BE(1)]).toEqual([2, bytes.length - 5]);
    expect(JSON.parse(bytes.subarray(5).toString())).toMatchObject({ error: { code: "unimplemented" } });
  });

  it.each(["application/grpc-web+proto", "application/grpc-web", "application/grpc-web-text", "application/grpc"])(
    "is Unimplemented in the status of %s",
    async (type) => {
      const response = await post(path, type);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
      expect(response.headers.get("grpc-status")).toBe("12");
      expect(decodeURIComponent(response.headers.get("grpc-message") ?? "")).toBe("There is no such method.");
      expect(await response.text()).toBe("");
    },
  );

  it("is 404 in no protocol of RPC", async () => {
    expect((await post(path, "text/plain")).status).toBe(404);
    expect((await fetch(`${system.gateway.url}${path}`)).status).toBe(404);
  });
});

it("does not make REST paths calls", async () => {
  expect((await post("/api/v1", "application/grpc-web")).status).toBe(401);
  expect((await post("/healthz", "application/json")).status).toBe(405);
});

it("answers an unknown call with a large body before the body has arrived", async () => {
  expect((await post(paths[0] ?? "", "application/proto", new Uint8Array(3_000_000))).status).toBe(501);
});

describe.each([
  ["Connect", () => createConnectTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" })],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" })],
  ["gRPC", () => createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` })],
  [
    "Connect on the gRPC port",
    () => createConnectTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}`, httpVersion: "2" }),
  ],
  [
    "gRPC-Web on the gRPC port",
    () => createGrpcWebTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}`, httpVersion: "2" }),
  ],
])("a client over %s", (_title, transport) => {
  const authorized = () => ({ headers: { authorization: `Bearer ${system.token}` } });

  it("gets Unimplemented with its reason for an internal service, with a token and without", async () => {
    for (const options of [authorized(), {}]) {
      const call = createClient(AuditService, transport()).recordRefusal({}, options);
      const error = ConnectError.from(await call.catch((reason: unknown) => reason));
      expect(error.code).toBe(Code.Unimplemented);
      expect(getProblemFacts(error)).toMatchObject({ reason: "UNIMPLEMENTED", message: "There is no such method." });
    }
  });

  it("gets Unimplemented for a stream of an internal service", async () => {
    const read = async () => {
      for await (const _ of createClient(ChangeService, transport()).watchChanges({}, authorized()));
    };
    expect(ConnectError.from(await read().catch((reason: unknown) => reason)).code).toBe(Code.Unimplemented);
  });

  it("reaches the methods that exist", async () => {
    const me = await createClient(IdentityService, transport()).getMe({}, authorized());
    expect(me.user?.name).toBe("Ada");
  });
});
