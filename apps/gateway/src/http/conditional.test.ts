import { createRestCalls } from "../testing/rest-calls.ts";
import { startTestGateway, type TestGateway, type Way } from "../testing/test-gateway.ts";
import { isUnchanged } from "./conditional.ts";
import type { IncomingMessage } from "node:http";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
  });
  afterAll(() => system.stop());
  const { call, json } = createRestCalls(() => system);
  const getTag = async (path: string) => (await call("GET", path)).headers.get("etag") ?? "";

  it.each(["/api/v1/me", "/api/v1/files/fil_1", "/api/v1/openapi.json", "/openapi.json"])(
    "a resource has a weak entity tag that makes requests conditional: %s",
    async (path) => {
      const tag = await getTag(path);
      expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
      for (const value of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const response = await call(method, path, { headers: { "if-none-match": value } });
          expect([response.status, response.text, response.headers.get("etag")]).toEqual([304, "", tag]);
          expect(response.headers.get("vary")).toMatch(/Accept-Encoding/);
          expect(response.headers.has("content-type")).toBe(false);
        }
      }
      for (const value of ['"other"', "", "W/", tag.slice(3, -1), '""']) {
        const response = await call("GET", path, { headers: { "if-none-match": value } });
        expect([value, response.status]).toEqual([value, 200]);
      }
    },
  );

  it("the tag changes with the resource", async () => {
    expect(await getTag("/api/v1/files/fil_1")).toBe(await getTag("/api/v1/files/fil_1"));
    expect(await getTag("/api/v1/files/fil_1")).not.toBe(await getTag("/api/v1/files/fil_2"));
  });

  it("lists, changes, errors and events have no tag", async () => {
    const headers = { "if-none-match": "*" };
    const list = await call("GET", "/api/v1/classify?projectId=prj_1", { headers });
    expect([list.status, list.headers.get("etag")]).toEqual([200, null]);
    const body = json({ deploymentId: "mdl_1" });
    const change = { ...body, headers: { ...body.headers, "if-none-match": '"other"' } };
    const created = await call("POST", "/api/v1/classify/clf_1/routes", change);
    expect([created.status, created.headers.get("etag")]).toEqual([201, null]);
    const missing = await call("GET", "/api/v1/files/none", { headers });
    expect([missing.status, missing.headers.get("etag")]).toEqual([404, null]);
    const events = await call("GET", "/api/v1/benchmarks/bmk_1/events", { headers });
    expect([events.status, events.headers.get("etag")]).toEqual([200, null]);
  });

  it("a condition does not replace the token", async () => {
    const headers = { "if-none-match": "*" };
    expect((await call("GET", "/api/v1/files/fil_1", { headers, token: "" })).status).toBe(401);
  });
});

it("isUnchanged reads a long header in linear time", () => {
  const header = `${'W/"'.repeat(5_000)}"tag"`;
  const request = { headers: { "if-none-match": header } } as unknown as IncomingMessage;
  expect(isUnchanged(request, '"absent"')).toBe(false);
});
