import { createRestCalls } from "../testing/rest-calls.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const { call, json } = createRestCalls(() => system);
const events = "/api/v1/benchmarks/bmk_1/events";

describe("Accept", () => {
  it.each([
    "application/json",
    "*/*",
    "application/*",
    "text/html, application/json;q=0.1",
    "application/json; charset=utf-8",
    "Application/JSON",
    "text/html, */*;q=0.1",
    "",
    "*",
    "text/html, image/gif, *; q=.2",
    "application/json;version=1",
    "application/json; charset=utf8",
    "application/json;version=2;q=0, */*",
    'text/html;title="a, b;q=1", application/json;q=0.1',
  ])("allows JSON: %s", async (accept) => {
    for (const path of ["/api/v1/me", "/api/v1/openapi.json"])
      expect((await call("GET", path, { headers: { accept } })).status).toBe(200);
  });

  it.each([
    "text/html",
    "application/json;q=0",
    "*/*;q=0",
    "application/xml, text/*",
    "json",
    "*/*, application/json;q=0",
    "application/json; charset=iso-8859-1",
    "text/html;version=1, *;q=0",
  ])("excludes JSON: %s", async (accept) => {
    for (const path of ["/api/v1/me", "/api/v1/openapi.json", "/openapi.json"]) {
      const response = await call("GET", path, { headers: { accept } });
      expect([response.status, response.headers.get("content-type")]).toEqual([406, "application/problem+json"]);
      expect(response.json).toMatchObject({ code: "NOT_ACCEPTABLE", title: "Not Acceptable" });
    }
  });

  it("is checked after the token, the path and the method, and before any effect", async () => {
    const headers = { accept: "text/html" };
    expect((await call("GET", "/api/v1/me", { headers, token: "" })).status).toBe(401);
    expect((await call("GET", "/api/v1/nothing", { headers })).status).toBe(404);
    expect((await call("PUT", "/api/v1/me", { headers })).status).toBe(405);
    expect((await call("GET", "/api/v1/projects/p/schema", { headers })).status).toBe(410);
    const before = system.classified.length;
    const body = json({ text: "hello" });
    const refused = await call("POST", "/api/v1/classify/clf_1", { ...body, headers: { ...body.headers, ...headers } });
    expect([refused.status, system.classified.length]).toEqual([406, before]);
  });

  it("must allow the type of a file", async () => {
    const path = "/api/v1/files/fil_1/content";
    for (const accept of ["application/pdf", "application/*;q=0.2", "*/*"])
      expect((await call("GET", path, { headers: { accept } })).status).toBe(200);
    expect((await call("GET", path, { headers: { accept: "image/*" } })).json).toMatchObject({ status: 406 });
  });

  it.each([
    ["*/*", "text/event-stream; charset=utf-8"],
    ["text/event-stream", "text/event-stream; charset=utf-8"],
    ["application/x-ndjson", "application/x-ndjson"],
    ["text/event-stream;q=0.5, application/x-ndjson", "application/x-ndjson"],
    ["application/x-ndjson;q=0, */*", "text/event-stream; charset=utf-8"],
    ["text/event-stream;version=1, application/x-ndjson;q=0.5", "text/event-stream; charset=utf-8"],
    ["application/x-ndjson;q=0.5, text/event-stream;charset=utf-8", "text/event-stream; charset=utf-8"],
  ])("selects the type of a stream: %s", async (accept, type) => {
    const response = await call("GET", events, { headers: { accept } });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(response.headers.get("vary")).toMatch(/\bAccept\b/);
  });

  it("excludes a stream", async () => {
    expect((await call("GET", events, { headers: { accept: "application/json" } })).status).toBe(406);
  });
});

describe("Accept-Encoding that excludes every coding", () => {
  it.each(["identity;q=0", "*;q=0", "identity;q=0, deflate", "br;q=0, identity; q=0.000"])(
    "is 406: %s",
    async (value) => {
      const headers = { "accept-encoding": value };
      const documents = ["/openapi.json", "/api/v1/openapi.json", "/docs"];
      for (const path of ["/api/v1/me", events, "/api/v1/files/fil_1/content", ...documents]) {
        const response = await call("GET", path, { headers });
        expect([path, response.status, response.json["code"]]).toEqual([path, 406, "NOT_ACCEPTABLE"]);
      }
    },
  );

  it("does not concern responses without a body, and never those with one that is acceptable", async () => {
    expect((await call("OPTIONS", "/api/v1/me", { headers: { "accept-encoding": "*;q=0" } })).status).toBe(204);
    const response = await call("GET", "/api/v1/me", { headers: { "accept-encoding": "identity;q=0, gzip" } });
    expect([response.status, response.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  });
});
