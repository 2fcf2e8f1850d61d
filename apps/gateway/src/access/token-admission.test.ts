import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Health } from "@switchyard/contracts/grpc/health/v1/health";
import { getProblemFacts } from "@switchyard/rpc";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((close) => close()));
afterAll(() => system.stop());

const unary = "/switchyard.identity.v1.IdentityService/GetMe";
const streaming = "/switchyard.extraction.v1.ExtractionService/UploadFile";
const bodyLength = 30 * 1024 * 1024;
const tokens: readonly [string, string | undefined][] = [
  ["without a token", undefined],
  ["with an invalid token", "Bearer syo_000000000000000000000000000000000000"],
];
const calls: readonly [string, string, string][] = [
  ["Connect, JSON", unary, "application/json"],
  ["Connect, binary", unary, "application/proto"],
  ["Connect, a stream", streaming, "application/connect+proto"],
  ["gRPC-Web", unary, "application/grpc-web+proto"],
  ["gRPC-Web, a stream", streaming, "application/grpc-web+proto"],
  ["gRPC", unary, "application/grpc"],
  ["gRPC, a stream", streaming, "application/grpc+proto"],
  ["no protocol", unary, "text/plain"],
];

/** Sends the head of a request over HTTP/1.1 without a body. Returns the response once it matches, or the connection is closed. */
async function sendOverHttp(wanted: RegExp, line: string, ...headers: string[]): Promise<string> {
  const socket: Socket = connect(system.gateway.port, "127.0.0.1");
  cleanups.push(() => socket.destroy());
  socket.write([line, "host: x", ...headers, "", ""].join("\r\n"));
  let response = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) if (wanted.test((response += chunk.toString()))) break;
  return response;
}

function session(): ClientHttp2Session {
  const opened = connectHttp2(`http://127.0.0.1:${system.gateway.grpcPort}`);
  opened.on("error", () => undefined);
  cleanups.push(() => opened.destroy());
  return opened;
}

/** Sends the headers of a request over HTTP/2 without ending it. Returns the headers and trailers of the response. */
async function sendOverHttp2(headers: Record<string, string>): Promise<IncomingHttpHeaders> {
  const stream = session().request({ ":method": "POST", ...headers }, { endStream: false });
  const response: IncomingHttpHeaders = {};
  stream.on("response", (head) => Object.assign(response, head));
  stream.on("trailers", (trailers) => Object.assign(response, trailers));
  stream.on("error", () => undefined);
  stream.resume();
  await once(stream, "close");
  return response;
}

describe.each(tokens)("a call %s is rejected before its body arrives", (_title, authorization) => {
  const given = authorization === undefined ? {} : { authorization };

  it.each(calls.filter(([title]) => !title.startsWith("gRPC,") && title !== "gRPC"))(
    "over HTTP/1.1: %s",
    async (_protocol, path, type) => {
      const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
      const head = `POST ${path} HTTP/1.1`;
      const refusal = /401 Unauthorized|grpc-status: 16|"unauthenticated"/;
      const sent = [...lines, `content-type: ${type}`, `content-length: ${bodyLength}`];
      const response = await sendOverHttp(refusal, head, ...sent);
      // Streams of Connect and gRPC-Web respond with status 200 and report the error at the end.
      expect(response).toMatch(/^HTTP\/1\.1 (401|200) /);
      expect(response).toMatch(refusal);
    },
  );

  it.each(calls)("over HTTP/2: %s", async (_protocol, path, type) => {
    const response = await sendOverHttp2({ ":path": path, "content-type": type, ...given });
    if (type.startsWith("application/grpc") && !type.includes("web")) expect(response["grpc-status"]).toBe("16");
    else expect([200, 401]).toContain(response[":status"]);
  });
});

describe("the order of checks", () => {
  it("is the token, then the body", async () => {
    const url = `${system.gateway.url}${unary}`;
    const headers = { "content-type": "application/json" };
    expect((await fetch(url, { method: "POST", headers, body: "{" })).status).toBe(401);
    const authorized = { ...headers, authorization: `Bearer ${system.token}` };
    expect((await fetch(url, { method: "POST", headers: authorized, body: "{" })).status).toBe(400);
    expect((await fetch(url, { method: "POST", body: "{" })).status).toBe(401);
    expect((await fetch(url, { method: "DELETE" })).status).toBe(401);
    expect((await fetch(url, { method: "DELETE", headers: authorized })).status).toBe(405);
  });

  it("sends 100 Continue only for a call that is admitted", async () => {
    const expecting = ["content-type: application/json", "content-length: 2", "expect: 100-continue"];
    const head = `POST ${unary} HTTP/1.1`;
    const status = /^HTTP\/1\.1 \d+ /;
    expect(await sendOverHttp(status, head, ...expecting)).toMatch(/^HTTP\/1\.1 401 /);
    const authorization = `authorization: Bearer ${system.token}`;
    expect(await sendOverHttp(status, head, ...expecting, authorization)).toMatch(/^HTTP\/1\.1 100 /);
  });

  it("logs a rejected call once, with the request ID of the response", async () => {
    const response = await fetch(`${system.gateway.url}${unary}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "refused-1" },
      body: "{}",
    });
    expect(response.headers.get("x-request-id")).toBe("refused-1");
    const lines = system.log.filter((line) => line.includes("refused-1"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { method: "GetMe", code: "UNAUTHENTICATED" },
    ]);
  });
});

it("limits the size of messages of methods without a token", async () => {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` });
  const health = createClient(Health, transport);
  expect((await health.check({})).status).toBe(1);
  const failure = await health.check({ service: "x".repeat(100_000) }).catch((error: unknown) => error);
  expect(getProblemFacts(failure).code).toBe(Code.ResourceExhausted);
});
