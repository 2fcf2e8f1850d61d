import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRestCalls } from "../testing/rest-calls.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";
import { createConsole } from "./console.ts";
import { createSignInLinks } from "./sign-in.ts";

describe("the console at /", () => {
  const links = createSignInLinks();
  let folder: string;
  let system: TestGateway;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-console-"));
    await mkdir(join(folder, "assets"));
    await writeFile(join(folder, "index.html"), '<meta name="csp-nonce" content="%CSP_NONCE%" />');
    await writeFile(join(folder, "assets/index-1.js"), "export {};");
    await writeFile(join(folder, "secret.js"), "");
    system = await startTestGateway({}, "direct", [], undefined, {
      files: createConsole(folder),
      signIn: links,
    });
  });
  afterAll(async () => {
    await system.stop();
    await rm(folder, { recursive: true });
  });
  const { call, json } = createRestCalls(() => system);
  const get = (path: string, headers: Record<string, string> = {}) => call("GET", path, { token: "", headers });

  it.each(["/", "/console", "/console/projects/prj_1/inbox"])("is one page at every address: %s", async (path) => {
    const first = await get(path);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(first.headers.get("cache-control")).toBe("no-store");
    expect(first.headers.get("referrer-policy")).toBe("no-referrer");
    const policy = first.headers.get("content-security-policy") ?? "";
    const nonce = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? "";
    expect(first.text).toContain(`content="${nonce}"`);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect((await get(path)).headers.get("content-security-policy")).not.toBe(policy);
  });

  it("lets browsers keep hashed files permanently, and serves no others", async () => {
    const { status, headers, text } = await get("/assets/index-1.js");
    expect([status, text, headers.get("content-type")]).toEqual([200, "export {};", "text/javascript; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const tag = headers.get("etag") ?? "";
    expect((await get("/assets/index-1.js", { "if-none-match": tag })).status).toBe(304);
    for (const other of ["", "index-2.js", "../secret.js", "..%2fsecret.js", "%2e%2e/secret.js", "index-1.js.map"])
      expect([other, (await get(`/assets/${other}`)).status]).toEqual([other, 404]);
    expect((await call("POST", "/", { token: "" })).status).toBe(405);
    expect((await call("HEAD", "/console", { token: "" })).status).toBe(200);
  });

  it("gives a token for the code of a link once", async () => {
    const redeem = (body: unknown) => call("POST", "/console/sign-in", json(body, ""));
    let issued = 0;
    const code = links.create(() => Promise.resolve(`token ${++issued}`));
    expect(await redeem({ code: "wrong" })).toMatchObject({ status: 401, json: { code: "SIGN_IN_LINK_INVALID" } });
    for (const body of [{}, { code: 1 }, [], null])
      expect(await redeem(body)).toMatchObject({ status: 400, json: { errors: [{ field: "code" }] } });
    const both = await Promise.all([redeem({ code }), redeem({ code })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(both.find(({ status }) => status === 200)?.json).toEqual({ token: "token 1" });
    expect((await redeem({ code })).status).toBe(401);
    expect(issued).toBe(1);
    const wrong = await get("/console/sign-in");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
    expect((await call("OPTIONS", "/console/sign-in", { token: "" })).status).toBe(204);
    expect(await redeem({ code: "x".repeat(2_000) })).toMatchObject({ status: 413 });
    expect(system.log.join("")).not.toContain(code);
  });

  it("keeps a link whose token could not be issued, and ends it after 24 hours", async () => {
    let time = 0;
    const { create, redeem } = createSignInLinks(() => time);
    let works = false;
    const code = create(() => (works ? Promise.resolve("token") : Promise.reject(new Error("no database"))));
    await expect(redeem(code)).rejects.toThrow("no database");
    works = true;
    expect(await redeem(code)).toBe("token");
    const late = create(() => Promise.resolve("token"));
    time += 24 * 60 * 60 * 1_000;
    expect(await redeem(late)).toBeUndefined();
  });

  it("says how to build it if it is not built", async () => {
    const found = await createConsole(join(folder, "nothing")).find("/");
    expect(found?.kind === "page" && found.html).toContain("npm run build:console");
    expect(await createConsole(join(folder, "nothing")).find("/assets/index-1.js")).toBeUndefined();
  });

  it("is off by a setting", async () => {
    const off = await startTestGateway();
    try {
      const { call: callOff } = createRestCalls(() => off);
      for (const path of ["/", "/console", "/assets/index-1.js"])
        expect((await callOff("GET", path, { token: "" })).status).toBe(404);
    } finally {
      await off.stop();
    }
  });
});
