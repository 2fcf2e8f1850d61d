import { sendRaw, rawHead } from "../testing/raw-http.ts";
import { startTestGateway, type TestGateway, type Way } from "../testing/test-gateway.ts";
import { fileBytes } from "../testing/stored-files.ts";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
    // On a busy machine, the first connection to the services may take longer than a request waits for it.
    while ((await send("GET /api/v1/me")).status === 503) continue;
  });
  afterAll(() => system.stop());

  const send = (line: string, ...headers: string[]) =>
    sendRaw(system.gateway.port, rawHead(line, "host: x", `authorization: Bearer ${system.token}`, ...headers));
  const sendWithoutToken = (line: string, ...headers: string[]) =>
    sendRaw(system.gateway.port, rawHead(line, "host: x", ...headers));

  describe("HEAD", () => {
    const changing = ["x-request-id", "date"];

    it.each([
      "/api/v1/me",
      "/api/v1/classify?projectId=prj_1&limit=1",
      "/api/v1/files/fil_1",
      "/api/v1/files/fil_1/content",
      "/api/v1/benchmarks/bmk_1/events",
      "/api/v1/openapi.json",
      "/openapi.json",
      "/healthz",
      "/readyz",
      "/api/v1/files/none",
      "/api/v1/files/none/content",
      "/api/v1/benchmarks/none/events",
      "/api/v1/classify",
      "/api/v1/nothing",
      "/api/v1/projects/prj_1/schema",
      "/api/v1/projects/full",
      "/nothing",
    ])("is answered like GET, without the body: %s", async (path) => {
      const [get, head] = [await send(`GET ${path}`), await send(`HEAD ${path}`)];
      expect(head.body.length).toBe(0);
      expect(head.status).toBe(get.status);
      const names = (headers: ReadonlyMap<string, string>) =>
        [...headers].filter(([name]) => !changing.includes(name) && name !== "transfer-encoding").sort();
      expect(names(head.headers)).toEqual(names(get.headers));
    });

    it("does not end a connection, or read a file", async () => {
      const before = system.downloads.begun;
      const { headers } = await send("HEAD /api/v1/files/fil_1/content");
      expect(headers.get("content-length")).toBe(String(fileBytes.length));
      if (way === "direct") expect(system.downloads.begun).toBe(before);
      const auth = { authorization: `Bearer ${system.token}` };
      for (let round = 0; round < 3; round += 1) {
        const response = await fetch(`${system.gateway.url}/api/v1/me`, { method: "HEAD", headers: auth });
        expect([response.status, await response.text()]).toEqual([200, ""]);
      }
    });

    it("needs a token, and is 405 where there is no GET", async () => {
      const refused = await sendWithoutToken("HEAD /api/v1/me");
      expect([refused.status, refused.headers.get("www-authenticate"), refused.body.length]).toEqual([
        401,
        "Bearer",
        0,
      ]);
      const wrong = await send("HEAD /api/v1/classify/clf_1:makeGlobal");
      expect([wrong.status, wrong.headers.get("allow"), wrong.body.length]).toEqual([405, "OPTIONS, POST", 0]);
    });
  });

  describe("OPTIONS", () => {
    it.each([
      ["/api/v1/me", "GET, HEAD, OPTIONS"],
      ["/api/v1/classify", "GET, HEAD, OPTIONS, POST"],
      ["/api/v1/classify/clf_1:makeGlobal", "OPTIONS, POST"],
      ["/api/v1/projects/prj_1", "DELETE, GET, HEAD, OPTIONS, PATCH"],
      ["/api/v1/projects/prj_1/schema", "GET, HEAD, OPTIONS"],
      ["/api/v1/openapi.json", "GET, HEAD, OPTIONS"],
    ])("is 204 with the methods of %s", async (path, allow) => {
      const response = await send(`OPTIONS ${path}`);
      expect([response.status, response.headers.get("allow"), response.body.length]).toEqual([204, allow, 0]);
      expect(response.headers.has("content-length")).toBe(false);
      expect((await sendWithoutToken(`OPTIONS ${path}`)).status).toBe(401);
    });

    it("is 204 without a token on the open paths, and 404 on unknown ones", async () => {
      for (const path of ["/healthz", "/readyz", "/openapi.json"]) {
        const response = await sendWithoutToken(`OPTIONS ${path}`);
        expect([response.status, response.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
      }
      const server = await sendWithoutToken("OPTIONS *");
      expect([server.status, server.headers.get("allow")]).toEqual([
        204,
        "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
      ]);
      expect((await send("OPTIONS /api/v1/nothing")).status).toBe(404);
      expect((await sendWithoutToken("OPTIONS /nothing")).status).toBe(404);
    });

    it("is 401 for a preflight request while no origins are configured", async () => {
      const preflight = ["origin: https://app.example", "access-control-request-method: GET"];
      const response = await sendWithoutToken("OPTIONS /api/v1/me", ...preflight);
      expect(response.status).toBe(401);
      const names = [...response.headers.keys()];
      expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect((await send("GET /api/v1/me", "origin: https://app.example")).headers.get("vary")).not.toMatch(/origin/i);
    });
  });
});
