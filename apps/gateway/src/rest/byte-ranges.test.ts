import { hash } from "node:crypto";
import { createRestCalls } from "../testing/rest-calls.ts";
import { fileBytes } from "../testing/stored-files.ts";
import { startTestGateway, type TestGateway, type Way } from "../testing/test-gateway.ts";

const size = fileBytes.length;
const tag = `"${hash("sha256", fileBytes)}"`;
const path = "/api/v1/files/fil_1/content";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
  });
  afterAll(() => system.stop());
  const { call } = createRestCalls(() => system);

  async function get(headers: Record<string, string>, method = "GET") {
    const authorization = `Bearer ${system.token}`;
    const response = await fetch(system.gateway.url + path, { method, headers: { authorization, ...headers } });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  }

  it("a file has a strong entity tag and a length, and accepts ranges", async () => {
    const { status, headers, bytes } = await get({});
    expect([status, headers.get("etag"), headers.get("accept-ranges")]).toEqual([200, tag, "bytes"]);
    expect(headers.get("content-length")).toBe(String(size));
    expect(bytes.equals(fileBytes)).toBe(true);
  });

  it.each([
    ["bytes=0-0", 0, 0],
    ["bytes=0-4", 0, 4],
    ["bytes=100000-200000", 100_000, 200_000],
    [`bytes=${size - 3}-`, size - 3, size - 1],
    ["bytes=-500", size - 500, size - 1],
    [`bytes=-${size + 10}`, 0, size - 1],
    ["bytes=5-99999999999999999999", 5, size - 1],
    ["Bytes=1-2", 1, 2],
    [`bytes=0-`, 0, size - 1],
  ])("a part of it is 206: %s", async (range, first, last) => {
    const { status, headers, bytes } = await get({ range });
    expect([status, headers.get("content-range")]).toEqual([206, `bytes ${first}-${last}/${size}`]);
    expect(headers.get("content-length")).toBe(String(last - first + 1));
    expect([headers.get("etag"), headers.get("content-type")]).toEqual([tag, "application/pdf"]);
    expect(headers.get("content-disposition")).toMatch(/^attachment/);
    expect(bytes.equals(fileBytes.subarray(first, last + 1))).toBe(true);
  });

  it.each([`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, "bytes=-0"])(
    "a range beyond it is 416: %s",
    async (range) => {
      const response = await call("GET", path, { headers: { range } });
      expect([response.status, response.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
      expect(response.json).toMatchObject({ code: "RANGE_NOT_SATISFIABLE", title: "Range Not Satisfiable" });
      expect(response.headers.get("content-type")).toBe("application/problem+json");
    },
  );

  it.each(["bytes=0-1,5-6", "bytes=5-2", "bytes=-", "bytes=a-b", "items=0-1", "bytes", "", "bytes=0-1,"])(
    "another range is ignored: %s",
    async (range) => {
      const { status, headers, bytes } = await get({ range });
      expect([status, bytes.length, headers.get("content-range")]).toEqual([200, size, null]);
    },
  );

  it("HEAD ignores ranges", async () => {
    const { status, headers } = await get({ range: "bytes=0-1" }, "HEAD");
    expect([status, headers.get("content-length"), headers.get("accept-ranges")]).toEqual([200, String(size), "bytes"]);
  });

  it("If-Range allows a part only of the same version", async () => {
    const range = "bytes=0-1";
    expect((await get({ range, "if-range": tag })).status).toBe(206);
    for (const condition of ['"other"', `W/${tag}`, "Mon, 23 Nov 2026 00:00:00 GMT"])
      expect((await get({ range, "if-range": condition })).status).toBe(200);
  });

  it("If-None-Match takes precedence over a range", async () => {
    for (const value of [tag, "*", `"other", ${tag}`, `W/${tag}`]) {
      const { status, headers, bytes } = await get({ range: "bytes=0-1", "if-none-match": value });
      expect([status, headers.get("etag"), bytes.length]).toEqual([304, tag, 0]);
    }
    expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
  });

  it("the service reads no bytes that are not sent", async () => {
    if (way === "channel") return;
    const before = system.downloads.begun;
    await get({ "if-none-match": tag });
    await get({ range: `bytes=${size}-` });
    await get({}, "HEAD");
    expect(system.downloads.begun).toBe(before);
  });

  it("a failure before the first byte is a problem, and a file that ends early is never complete", async () => {
    expect((await call("GET", "/api/v1/files/fil_damaged/content")).status).toBe(500);
    expect((await call("GET", "/api/v1/files/fil_damaged/content", { headers: { range: "bytes=0-1" } })).status).toBe(
      500,
    );
    await expect(call("GET", "/api/v1/files/fil_short/content")).rejects.toThrow();
  });

  it("a file without a known size has no tag, and ranges of it are ignored", async () => {
    const response = await fetch(`${system.gateway.url}/api/v1/files/plain/content`, {
      headers: { authorization: `Bearer ${system.token}`, range: "bytes=0-1" },
    });
    expect([response.status, response.headers.get("etag"), response.headers.get("accept-ranges")]).toEqual([
      200,
      null,
      null,
    ]);
    expect(await response.text()).toBe("%PDF-");
  });
});
