import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts } from "@switchyard/rpc";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";
import { createTestBudget } from "../testing/test-budget.ts";

const limit = 20;
const policy = `"token";q=${limit};w=60`;
const rpc = "/switchyard.identity.v1.IdentityService/GetMe";

/** The clock of the budget stands still during a test, so the minute does not end. */
const budget = createTestBudget(18_000);
let system: TestGateway;
beforeAll(async () => {
  const rateLimit = { requestsPerMinute: limit, leaseRequests: budget.leaseRequests };
  system = await startTestGateway({}, "direct", ["https://app.example"], rateLimit);
});
afterAll(() => system.stop());

const send = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${system.gateway.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
  });
const left = (response: Response): number =>
  Number(/^"token";r=(\d+);t=\d+$/.exec(String(response.headers.get("ratelimit")))?.[1]);

describe("the rate limit of a token", () => {
  it("is reported in every response to an authenticated request, and counted once by it", async () => {
    const token = system.issue();
    const json = { "content-type": "application/json" };
    const { etag } = Object.fromEntries((await send("/api/v1/openapi.json", token)).headers);
    const requests: [number, string, RequestInit][] = [
      [200, "/api/v1/me", {}],
      [200, "/api/v1/me", { method: "HEAD" }],
      [304, "/api/v1/openapi.json", { headers: { "if-none-match": String(etag) } }],
      [204, "/api/v1/me", { method: "OPTIONS" }],
      [404, "/api/v1/nothing", {}],
      [405, "/api/v1/me", { method: "PUT" }],
      [406, "/api/v1/me", { headers: { accept: "image/png" } }],
      [400, "/api/v1/me?nothing=1", {}],
      [200, rpc, { method: "POST", headers: json, body: "{}" }],
      [400, rpc, { method: "POST", headers: json, body: "{" }],
      [405, rpc, { method: "PUT" }],
      [415, rpc, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }],
    ];
    let expected = limit - 1;
    for (const [status, path, init] of requests) {
      const response = await send(path, token, init);
      expected -= 1;
      const { headers } = response;
      expect([path, response.status, left(response), headers.get("ratelimit-policy")]).toEqual([
        path,
        status,
        expected,
        policy,
      ]);
    }
  });

  it("does not concern requests without a valid token, or paths that need none", async () => {
    const preflight = { origin: "https://app.example", "access-control-request-method": "GET" };
    const responses = await Promise.all([
      fetch(`${system.gateway.url}/api/v1/me`),
      fetch(`${system.gateway.url}/healthz`),
      fetch(`${system.gateway.url}/openapi.json`),
      fetch(`${system.gateway.url}/api/v1/me`, { method: "OPTIONS", headers: preflight }),
      fetch(`${system.gateway.url}${rpc}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([401, 200, 200, 204, 401]);
    for (const { headers } of responses) expect([...headers.keys()].join()).not.toMatch(/ratelimit|retry-after/);
  });

  it("is shared by REST, Connect, gRPC-Web and gRPC, and exceeded over all of them", async () => {
    const token = system.issue();
    const http = { baseUrl: system.gateway.url, httpVersion: "1.1" } as const;
    const clients = [
      createConnectTransport(http),
      createGrpcWebTransport(http),
      createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` }),
    ].map((transport) => createClient(IdentityService, transport));
    const headers = { authorization: `Bearer ${token}` };
    const seen: (string | null)[] = [];
    const onHeader = (header: Headers): void => void seen.push(header.get("ratelimit"));
    for (let round = 0; round < limit / 4; round += 1) {
      seen.push((await send("/api/v1/me", token)).headers.get("ratelimit"));
      for (const client of clients) await client.getMe({}, { headers, onHeader });
    }
    const counts = Array.from({ length: limit }, (_, index) =>
      expect.stringMatching(`^"token";r=${limit - 1 - index};t=`),
    );
    expect(seen).toEqual(counts);

    for (const client of clients) {
      const error = await client.getMe({}, { headers }).catch((failure: unknown) => failure);
      const facts = getProblemFacts(error);
      expect(facts).toMatchObject({ code: Code.ResourceExhausted, reason: "RATE_LIMITED" });
      expect(facts.retryAfterSeconds).toBeGreaterThan(0);
      expect(ConnectError.from(error).metadata.get("retry-after")).toBe(String(facts.retryAfterSeconds));
    }
    const refused = await send("/api/v1/me", token);
    expect(refused.status).toBe(429);
    const [, seconds = ""] = /^"token";r=0;t=(\d+)$/.exec(refused.headers.get("ratelimit") ?? "") ?? [];
    expect(refused.headers.get("retry-after")).toBe(seconds);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(await refused.json()).toMatchObject({
      title: "Too Many Requests",
      status: 429,
      detail: `The token has made its ${limit} requests for this minute. Try again in ${seconds} s.`,
      code: "RATE_LIMITED",
      errors: [],
    });
  });

  it("is checked after the token and before everything else", async () => {
    const token = system.issue();
    for (let requests = 0; requests < limit; requests += 1) await send("/api/v1/me", token);
    const json = { "content-type": "application/json" };
    const requests: [string, RequestInit][] = [
      ["/api/v1/nothing", {}],
      ["/api/v1/me", { method: "PUT" }],
      ["/api/v1/me", { method: "OPTIONS" }],
      ["/api/v1/openapi.json", {}],
      ["/api/v1/classify", { method: "POST", headers: json, body: "{" }],
      [rpc, { method: "POST", headers: json, body: "{" }],
      [rpc, { method: "PUT" }],
      [rpc, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }],
    ];
    for (const [path, init] of requests) {
      const { status, headers } = await send(path, token, init);
      expect([path, status, headers.get("ratelimit-policy")]).toEqual([path, 429, policy]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await fetch(`${system.gateway.url}/api/v1/me`)).status).toBe(401);
    expect((await send("/api/v1/me", system.issue())).status).toBe(200);
  });

  it("can be read by pages of configured origins", async () => {
    const response = await send("/api/v1/me", system.issue(), { headers: { origin: "https://app.example" } });
    const exposed = response.headers.get("access-control-expose-headers");
    for (const name of ["RateLimit", "RateLimit-Policy", "Retry-After"]) expect(exposed).toContain(name);
  });
});

it("is not reported if there is none", async () => {
  const unlimited = await startTestGateway();
  try {
    const headers = { authorization: `Bearer ${unlimited.token}` };
    const response = await fetch(`${unlimited.gateway.url}/api/v1/me`, { headers });
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].join()).not.toContain("ratelimit");
  } finally {
    await unlimited.stop();
  }
});
