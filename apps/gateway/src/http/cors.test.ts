import { once } from "node:events";
import { connect } from "node:net";
import { createRestCalls } from "../testing/rest-calls.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

const origin = "https://app.example";
let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway({}, "direct", [origin, "http://localhost:3000"]);
});
afterAll(() => system.stop());

const { call } = createRestCalls(() => system);
const preflight = (path: string, from: string, method = "POST") =>
  call("OPTIONS", path, { token: "", headers: { origin: from, "access-control-request-method": method } });
const granted = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a preflight request of a configured origin", () => {
  it.each([
    "/api/v1/me",
    "/openapi.json",
    "/switchyard.identity.v1.IdentityService/GetMe",
    "/no.such.v1.Service/Call",
    // Browsers send the request itself only then, and the page sees the problem.
    "/api/v1/nothing",
    "/api/v1/files/%zz",
  ])("is granted without a token: %s", async (path) => {
    for (const from of [origin, "http://localhost:3000"]) {
      const { status, headers, text } = await preflight(path, from, "PATCH");
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("access-control-allow-origin")).toBe(from);
      expect(headers.get("access-control-allow-methods")).toContain("PATCH");
      const names = (headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ");
      expect(names).toEqual(
        expect.arrayContaining([
          "authorization",
          "content-type",
          "idempotency-key",
          "if-none-match",
          "range",
          "connect-protocol-version",
        ]),
      );
      expect(headers.get("access-control-max-age")).toBe("7200");
      expect(headers.get("vary")).toMatch(/\bOrigin\b/);
      expect(headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  it("lists the methods of the path, and does not call the method", async () => {
    expect((await preflight("/api/v1/classify", origin)).headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
    const before = system.requestIds.length;
    await preflight("/api/v1/me", origin, "GET");
    expect(system.requestIds.length).toBe(before);
  });
});

describe("a request of a configured origin", () => {
  it("shows its headers to the page, even over Connect", async () => {
    const exposed = [
      "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, Content-Range, X-Request-Id",
    ].flatMap((list) => list.split(", "));
    const rpc = { headers: { origin, "content-type": "application/json" }, body: "{}" };
    for (const response of [
      await call("GET", "/api/v1/me", { headers: { origin } }),
      await call("POST", "/switchyard.identity.v1.IdentityService/GetMe", rpc),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      const names = response.headers.get("access-control-expose-headers")?.split(", ");
      expect(names).toEqual(expect.arrayContaining(exposed));
      expect(response.headers.get("vary")).toMatch(/\bOrigin\b/);
    }
  });

  it("also shows problems to the page", async () => {
    for (const [path, status, token] of [
      ["/api/v1/me", 401, ""],
      ["/api/v1/nothing", 404, undefined],
      ["/api/v1/projects/boom", 500, undefined],
      ["/nothing", 404, ""],
    ] as const) {
      const response = await call("GET", path, { headers: { origin }, ...(token === undefined ? {} : { token }) });
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([status, origin]);
    }
    const socket = connect(system.gateway.port, "127.0.0.1");
    socket.write(`GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\norigin: ${origin}\r\n\r\n`);
    const [refusal] = (await once(socket, "data")) as [Buffer];
    expect(refusal.toString()).toContain(`access-control-allow-origin: ${origin}\r\n`);
    socket.destroy();
  });

  it("shows the page what was wrong with a body that never ends", async () => {
    const slow = await startTestGateway({ requestTimeoutMs: 300 }, "direct", [origin]);
    const socket = connect(slow.gateway.port, "127.0.0.1");
    const headers = [`authorization: Bearer ${slow.token}`, `origin: ${origin}`, "content-type: application/json"];
    socket.write(["POST /api/v1/classify HTTP/1.1", "host: x", ...headers, "content-length: 9", "", "{"].join("\r\n"));
    const [refusal] = (await once(socket, "data")) as [Buffer];
    expect(refusal.toString()).toMatch(/^HTTP\/1\.1 408 /);
    expect(refusal.toString()).toContain(`access-control-allow-origin: ${origin}\r\n`);
    socket.destroy();
    await slow.stop();
  });

  it("needs a token; so does OPTIONS that is not a preflight", async () => {
    expect((await call("OPTIONS", "/api/v1/me", { token: "", headers: { origin } })).status).toBe(401);
  });
});

describe("another origin", () => {
  it.each(["https://evil.example", "https://app.example.evil.example", "http://app.example", "null", "*"])(
    "is granted nothing: %s",
    async (from) => {
      const asked = await preflight("/api/v1/me", from);
      expect([asked.status, granted(asked.headers)]).toEqual([204, []]);
      const response = await call("GET", "/api/v1/me", { headers: { origin: from } });
      expect([response.status, granted(response.headers)]).toEqual([200, []]);
      expect(response.headers.get("vary")).toMatch(/\bOrigin\b/);
    },
  );

  it("includes none at all", async () => {
    const response = await call("GET", "/api/v1/me");
    expect(granted(response.headers)).toEqual([]);
    expect(response.headers.get("vary")).toMatch(/\bOrigin\b/);
  });
});
