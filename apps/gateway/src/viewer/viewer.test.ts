import { createRestCalls } from "../testing/rest-calls.ts";
import { sendRaw, rawHead } from "../testing/raw-http.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";
import { createViewer } from "./viewer.ts";

const paths = ["/docs", "/docs/page.js", "/docs/page.css", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"];

describe("the viewer at /docs", () => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, "direct");
  });
  afterAll(() => system.stop());
  const { call } = createRestCalls(() => system);
  const get = (path: string, headers: Record<string, string> = {}) => call("GET", path, { token: "", headers });

  it.each([
    ["/docs", "text/html"],
    ["/docs/page.js", "text/javascript"],
    ["/docs/page.css", "text/css"],
    ["/docs/swagger-ui-bundle.js", "text/javascript"],
    ["/docs/swagger-ui.css", "text/css"],
  ])("needs no token, and every file has its type and a tag: %s", async (path, type) => {
    const { status, headers, text } = await get(path);
    expect([status, headers.get("content-type")]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(text.length).toBeGreaterThan(100);
    const tag = headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await get(path, { "if-none-match": tag });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("is also found with a slash at the end, under any path of a proxy", async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${system.gateway.port}/docs/`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([308, "../docs"]);
    expect(new URL("../docs", "https://example.org/switchyard/docs/").pathname).toBe("/switchyard/docs");
    expect((await get("/docs/")).headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect((await call("POST", "/docs/", { token: "" })).status).toBe(405);
  });

  it("allows the page only scripts, styles and requests of its own origin", async () => {
    const policy = (await get("/docs")).headers.get("content-security-policy") ?? "";
    const directives = new Map(policy.split("; ").map((each) => each.split(/ (.*)/) as [string, string]));
    expect(directives.get("default-src")).toBe("'none'");
    for (const name of ["script-src", "style-src", "connect-src"]) expect(directives.get(name)).toBe("'self'");
    for (const name of ["base-uri", "form-action", "frame-ancestors"]) expect(directives.get(name)).toBe("'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it("refers only to files that it serves", async () => {
    const { text } = await get("/docs");
    const references = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, reference = ""]) => reference);
    const served = references.filter((reference) => reference !== "data:,").map((reference) => `/${reference}`);
    expect(served.toSorted()).toEqual([...paths.slice(1), "/openapi.json"].toSorted());
  });

  it("responds to HEAD and OPTIONS, refuses other methods, and 406 if the type is excluded", async () => {
    for (const path of paths) {
      const [got, head] = [await get(path), await call("HEAD", path, { token: "" })];
      expect([head.status, head.text]).toEqual([200, ""]);
      for (const name of ["content-type", "etag", "content-security-policy"])
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      const options = await call("OPTIONS", path, { token: "" });
      expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
      const post = await call("POST", path, { token: "" });
      expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expect((await get(path, { accept: "application/json" })).status).toBe(406);
    }
  });

  it.each(["br", "zstd", "gzip"])("sends the script compressed with %s", async (coding) => {
    const request = rawHead("GET /docs/swagger-ui-bundle.js", "host: x", `accept-encoding: ${coding}`);
    const { status, headers, body } = await sendRaw(system.gateway.port, request);
    expect([status, headers.get("content-encoding")]).toEqual([200, coding]);
    expect(body.length).toBeLessThan(700_000);
  });

  it("serves no other files", async () => {
    const others = ["package.json", "index.html", "..%2fviewer.ts", "%2e%2e/viewer.ts", "swagger-ui-bundle.js.map"];
    for (const other of others) expect([other, (await get(`/docs/${other}`)).status]).toEqual([other, 404]);
    const { status } = await sendRaw(system.gateway.port, rawHead("GET /docs/../viewer.ts", "host: x"));
    expect(status).toBe(404);
  });

  it("reads a file once, and keeps it, even when it is requested several times at once", async () => {
    const viewer = createViewer();
    const found = await Promise.all([viewer.find("/docs"), viewer.find("/docs")]);
    expect(found[0]).toBe(found[1]);
    expect(await viewer.find("/docs")).toBe(found[0]);
    expect(await viewer.find("/docs/nothing")).toBeUndefined();
  });
});
