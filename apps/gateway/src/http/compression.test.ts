import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { encodePieces } from "./compression.ts";
import { rawHead, sendRaw } from "../testing/raw-http.ts";
import { exportedText } from "../testing/stored-files.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const get = (path: string, ...headers: string[]) =>
  sendRaw(system.gateway.port, rawHead(`GET ${path}`, "host: x", `authorization: Bearer ${system.token}`, ...headers));
const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };
/** A resource whose JSON has more than 1 KiB, and one whose JSON has less. */
const large = "/api/v1/files/fil_long";
const small = "/api/v1/files/fil_1";

describe("responses above 1 KiB", () => {
  it.each(["br", "zstd", "gzip"] as const)("are compressed with %s for clients that accept it", async (coding) => {
    for (const path of [large, "/openapi.json", "/openapi.json", "/api/v1/openapi.json"]) {
      const [plain, response] = [await get(path), await get(path, `accept-encoding: ${coding}`)];
      expect(response.headers.get("content-encoding")).toBe(coding);
      expect(response.headers.get("vary")).toMatch(/\bAccept-Encoding\b/);
      expect(response.headers.get("content-length")).toBe(String(response.body.length));
      expect(response.body.length).toBeLessThan(plain.body.length);
      expect(decoders[coding](response.body).equals(plain.body)).toBe(true);
      expect(response.headers.get("etag")).toBe(plain.headers.get("etag"));
    }
  });

  it.each([
    ["gzip;q=0.2, br;q=0.9", "br"],
    ["br;q=0.2, gzip;q=0.9, zstd;q=0", "gzip"],
    ["identity;q=0.1, gzip;q=0.5", "gzip"],
    ["*", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, zstd", "zstd"],
    ["identity, gzip", "gzip"],
    ["br;q=0, *", "zstd"],
    ["GZIP", "gzip"],
  ])("have the coding that the client prefers: %s", async (accepted, coding) => {
    expect((await get(large, `accept-encoding: ${accepted}`)).headers.get("content-encoding")).toBe(coding);
  });

  it.each(["identity", "gzip;q=0", "deflate", "identity, gzip;q=0.5", ""])(
    "are not compressed for clients that do not want it: %s",
    async (accepted) => {
      const { headers, body } = await get(large, `accept-encoding: ${accepted}`);
      expect(headers.get("content-encoding")).toBeUndefined();
      expect(headers.get("vary")).toMatch(/\bAccept-Encoding\b/);
      expect(JSON.parse(body.toString())).toMatchObject({ id: "fil_long" });
    },
  );

  it("are not compressed without the header", async () => {
    expect((await get(large)).headers.get("content-encoding")).toBeUndefined();
  });

  it("have no length with HEAD, and the same coding", async () => {
    const { gateway, token } = system;
    const head = rawHead(`HEAD ${large}`, "host: x", `authorization: Bearer ${token}`, "accept-encoding: gzip");
    const response = await sendRaw(gateway.port, head);
    expect([response.headers.get("content-encoding"), response.headers.has("content-length")]).toEqual(["gzip", false]);
    expect(response.body.length).toBe(0);
  });
});

describe("exported texts", () => {
  const content = (id: string) => `/api/v1/files/${id}/content`;
  /** Requests a text with HTTP/1.0, in which bodies have no transfer coding. */
  const getText = (id: string, coding: string) => {
    const headers = [`authorization: Bearer ${system.token}`, `accept-encoding: ${coding}`];
    return sendRaw(system.gateway.port, [`GET ${content(id)} HTTP/1.0`, ...headers, "", ""].join("\r\n"));
  };

  it.each(["br", "zstd", "gzip"] as const)("are compressed with %s piece by piece", async (coding) => {
    const { status, headers, body } = await getText("text", coding);
    expect([status, headers.get("content-encoding"), headers.has("content-length")]).toEqual([200, coding, false]);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("vary")).toMatch(/\bAccept-Encoding\b/);
    expect(body.length).toBeLessThan(exportedText.length / 10);
    expect(decoders[coding](body).equals(exportedText)).toBe(true);
  });

  it.each(["br", "zstd", "gzip"] as const)("are sent with %s as soon as a piece is there", async (coding) => {
    const ending = Promise.withResolvers<void>();
    async function* pieces() {
      yield exportedText.subarray(0, 65_536);
      await ending.promise;
    }
    const encoded = encodePieces(pieces(), coding);
    expect((await encoded.next()).value).toBeInstanceOf(Buffer);
    ending.resolve();
    await encoded.return(undefined);
  });

  it("are not compressed if they are short, or the client does not want it", async () => {
    for (const [id, accepted, length] of [
      ["text_short", "gzip", 1_024],
      ["text", "identity", exportedText.length],
      ["text", "gzip;q=0", exportedText.length],
    ] as const) {
      const { headers, body } = await getText(id, accepted);
      expect([id, headers.get("content-encoding"), body.length]).toEqual([id, undefined, length]);
    }
  });

  it("never look complete if they fail", async () => {
    const authorization = `Bearer ${system.token}`;
    for (const coding of ["gzip", "identity"]) {
      const headers = { authorization, "accept-encoding": coding };
      const response = await fetch(`${system.gateway.url}${content("text_broken")}`, { headers });
      expect(response.headers.get("content-encoding")).toBe(coding === "gzip" ? "gzip" : null);
      await expect(response.text()).rejects.toThrow();
    }
  });
});

describe("other responses", () => {
  const accepted = "accept-encoding: br, gzip, zstd";

  it("are not compressed if they are small, unless the client excludes that", async () => {
    expect((await get(small, accepted)).headers.get("content-encoding")).toBeUndefined();
    const forced = await get(small, "accept-encoding: gzip, identity;q=0");
    expect(forced.headers.get("content-encoding")).toBe("gzip");
    expect(JSON.parse(gunzipSync(forced.body).toString())).toMatchObject({ id: "fil_1" });
  });

  it("are not compressed if they are streams or files", async () => {
    for (const path of ["/api/v1/benchmarks/bmk_1/events", "/api/v1/files/fil_1/content"]) {
      const { status, headers } = await get(path, accepted);
      expect([status, headers.get("content-encoding")]).toEqual([200, undefined]);
    }
  });
});
