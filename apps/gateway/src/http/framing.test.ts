import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { rawHead, sendRaw } from "../testing/raw-http.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const send = (text: string) => sendRaw(system.gateway.port, text);
const authorized = () => `authorization: Bearer ${system.token}`;
const json = "content-type: application/json";
const rest = "POST /api/v1/classify/clf_1/routes";
const rpc = "POST /switchyard.identity.v1.IdentityService/GetMe";

describe("the Host header", () => {
  it.each([
    ["two different ones", ["host: a", "host: b"]],
    ["the same one twice", ["host: a", "Host: a"]],
    ["none", []],
  ])("is required exactly once: %s", async (_title, hosts) => {
    for (const line of ["GET /api/v1/me", "GET /healthz", rpc]) {
      const { status, body } = await send(rawHead(line, ...hosts, authorized(), json, "content-length: 0"));
      expect([line, status]).toEqual([line, 400]);
      expect(JSON.parse(body.toString())).toMatchObject({ status: 400, code: expect.any(String) });
    }
  });

  it.each(["host:", "host: a b", "host: a:b", "host: [::1", "host: [a]"])(
    "of a call must be that of a URL, or the response is 400: %s",
    async (host) => {
      const head = rawHead(rpc, host, authorized(), json, "x-request-id: mine", "content-length: 2");
      const { status, headers } = await send(`${head}{}`);
      expect([status, headers.get("x-request-id")]).toEqual([400, "mine"]);
    },
  );

  it("of a call on the gRPC port must be that of a URL, too", async () => {
    const session = connect(`http://127.0.0.1:${system.gateway.grpcPort}`);
    const head = { ":method": "POST", ":path": rpc.slice("POST ".length), "content-type": "application/proto" };
    const stream = session.request({ ...head, ":authority": "a:b", authorization: `Bearer ${system.token}` });
    const signal = AbortSignal.timeout(10_000);
    const [headers] = (await once(stream.end(), "response", { signal })) as [IncomingHttpHeaders];
    session.destroy();
    expect(headers[":status"]).toBe(400);
  });

  it.each(["a", "", "a.example:8080", "a:", "127.0.0.1:1", "[::1]", "[::1]:8080", "a_b-c", "%C3%A4", "xn--4ca"])(
    "may be any host, with or without a port, and empty: %s",
    async (host) => {
      expect((await send(rawHead("GET /api/v1/me", `host: ${host}`, authorized()))).status).toBe(200);
    },
  );

  it.each(["a b", "a:b", "a:1:2", "[::1", "::1", "a/b", "a?b", "u@a", "http://a", "a, b", "a%", "\xe4"])(
    "is refused if it is no host: %s",
    async (host) => {
      for (const line of ["GET /api/v1/me", "GET /healthz", rpc]) {
        const { status, body } = await send(rawHead(line, `host: ${host}`, authorized(), json, "content-length: 0"));
        expect([line, status]).toEqual([line, 400]);
        expect(JSON.parse(body.toString())).toMatchObject({ code: "MALFORMED_REQUEST" });
      }
    },
  );
});

describe("the version of the protocol", () => {
  const get = (version: string) =>
    send([`GET /api/v1/me${version}`, "host: x", authorized(), "connection: close", "", ""].join("\r\n"));

  it.each([" HTTP/1.1", " HTTP/1.0"])("may be%s", async (version) => {
    expect((await get(version)).status).toBe(200);
  });

  it.each([" HTTP/2.0", " HTTP/0.9", " HTTP/1.2", ""])("cannot be another one: %s", async (version) => {
    const { status, body } = await get(version);
    expect(status).toBe(400);
    expect(JSON.parse(body.toString())).toMatchObject({ code: "MALFORMED_REQUEST" });
  });
});

describe("a request that is refused for its headers", () => {
  it.each([
    ["an unknown expectation", ["host: x", "expect: x"], "EXPECTATION_FAILED"],
    ["two hosts", ["host: a", "host: b"], "MALFORMED_REQUEST"],
  ])("is named with its path and its request ID: %s", async (_title, headers, code) => {
    const response = await send(rawHead("GET /api/v1/me?a=b", ...headers, authorized(), "x-request-id: mine"));
    expect(JSON.parse(response.body.toString())).toMatchObject({ code, instance: "/api/v1/me", requestId: "mine" });
    expect(response.headers.get("x-request-id")).toBe("mine");
  });
});

describe("a HEAD request that is refused for its headers", () => {
  it.each([
    ["an unknown expectation", ["host: x", "expect: x"], 417],
    ["two hosts", ["host: a", "host: b"], 400],
    ["large headers", ["host: x", `x-long: ${"x".repeat(17_000)}`], 431],
  ])("gets no body: %s", async (_title, headers, status) => {
    const response = await send(rawHead("HEAD /api/v1/me", ...headers, authorized()));
    expect([response.status, response.body.length]).toEqual([status, 0]);
  });
});

describe("the Transfer-Encoding header", () => {
  const body = "2\r\n{}\r\n0\r\n\r\n";

  it.each(["gzip, chunked", "chunked, chunked", "identity, chunked", "gzip", "chunked, gzip"])(
    "is refused if it is not chunked: %s",
    async (coding) => {
      for (const line of [rest, rpc]) {
        const headers = ["host: x", authorized(), json, `transfer-encoding: ${coding}`];
        const response = await send(rawHead(line, ...headers) + body);
        expect(response.status).toBe(400);
        expect(JSON.parse(response.body.toString())).toMatchObject({ code: "MALFORMED_REQUEST" });
      }
    },
  );

  it("is refused in HTTP/1.0, and the connection closed", async () => {
    const headers = ["host: x", authorized(), json, "transfer-encoding: chunked", "connection: keep-alive"];
    const response = await send([`${rest} HTTP/1.0`, ...headers, "", body].join("\r\n"));
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body.toString())).toMatchObject({ code: "MALFORMED_REQUEST" });
  });

  it("is refused if it is sent twice", async () => {
    const codings = ["transfer-encoding: gzip", "transfer-encoding: chunked"];
    expect((await send(rawHead(rest, "host: x", authorized(), json, ...codings) + body)).status).toBe(400);
  });

  it.each(["chunked", "Chunked"])("can be %s", async (coding) => {
    const headers = ["host: x", authorized(), json, `transfer-encoding: ${coding}`];
    expect((await send(rawHead(rest, ...headers) + body)).status).toBe(201);
  });
});

describe("refusals by the parser of Node.js", () => {
  it.each([
    ["garbage", "\x16\x03\x01\r\n\r\n"],
    ["large headers", rawHead("GET /api/v1/me", "host: x", `x-a: ${"a".repeat(17_000)}`)],
    ["an unknown expectation", rawHead("GET /api/v1/me", "host: x", "expect: wonders")],
  ])("have the headers of other responses: %s", async (_title, text) => {
    const { status, headers, body } = await send(text);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("vary")).toBe("Accept, Accept-Encoding");
    expect(headers.get("date")).toBe(new Date(headers.get("date") ?? "").toUTCString());
    expect(JSON.parse(body.toString())).toMatchObject({ requestId: headers.get("x-request-id") });
  });
});

describe("a target in absolute form", () => {
  it.each(["http://x/api/v1/me", "HTTPS://[::1]:8080/api/v1/me", "http://other/openapi.json?a=b"])(
    "means the same as its path: %s",
    async (target) => {
      expect((await send(rawHead(`GET ${target}`, "host: x", authorized()))).status).toBe(200);
    },
  );

  it("may name a method of RPC, and be without a path", async () => {
    const call = rawHead(rpc.replace("/", "http://x/"), "host: x", authorized(), json, "content-length: 2");
    expect((await send(`${call}{}`)).status).toBe(200);
    const { status, body } = await send(rawHead("GET http://x?a=b", "host: x"));
    expect([status, JSON.parse(body.toString())]).toMatchObject([404, { instance: "/" }]);
  });

  it("is refused like its path", async () => {
    expect((await send(rawHead("GET http://x/api/v1/me", "host: x"))).status).toBe(401);
    const long = await send(rawHead(`GET http://x/api/v1/${"a".repeat(9_000)}`, "host: x", authorized()));
    expect(long.status).toBe(414);
  });

  it.each(["ftp://x/api/v1/me", "http://a@x/api/v1/me", "*", "x"])("must be one of HTTP: %s", async (target) => {
    expect((await send(rawHead(`GET ${target}`, "host: x", authorized()))).status).toBe(400);
  });
});

describe("the headers of a request", () => {
  it("may have an empty expectation", async () => {
    expect((await send(rawHead("GET /api/v1/me", "host: x", authorized(), "expect: "))).status).toBe(200);
  });

  it("all count, however many there are", async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => `a${index}: `);
    const { status, body } = await send(rawHead("GET /api/v1/me", "host: x", authorized(), ...many, authorized()));
    expect([status, JSON.parse(body.toString())]).toMatchObject([401, { code: "TOKEN_INVALID" }]);
  });

  it("must name one content type, if the method has a body", async () => {
    const headers = ["host: x", authorized(), json, "content-type: text/plain", "content-length: 2"];
    const { status, body } = await send(`${rawHead(rest, ...headers)}{}`);
    expect([status, JSON.parse(body.toString())]).toMatchObject([400, { errors: [{ field: "Content-Type" }] }]);
    expect((await send(rawHead("GET /api/v1/me", ...headers.slice(0, 4)))).status).toBe(200);
  });
});
