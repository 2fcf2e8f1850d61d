import type { InlineDocument } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { startTestGateway, type TestGateway, type Way } from "./testing/test-gateway.ts";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
  });
  afterAll(() => system.stop());

  interface Answer {
    status: number;
    headers: Headers;
    text: string;
    json: Record<string, unknown>;
  }

  /** The inline document of the last classification. */
  function lastContent(): InlineDocument | undefined {
    const document = system.classified.at(-1)?.document;
    return document?.case === "content" ? document.value : undefined;
  }

  async function call(method: string, path: string, options: RequestInit & { token?: string } = {}): Promise<Answer> {
    const { token = system.token, headers, ...rest } = options;
    const response = await fetch(`${system.gateway.url}${path}`, {
      method,
      ...rest,
      headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
    const text = await response.text();
    const isJson = text !== "" && /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
  }

  const json = (body: unknown, token?: string) => ({
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json" },
    ...(token === undefined ? {} : { token }),
  });

  describe("REST", () => {
    it("answers a list as a bare array, with a link to the next page", async () => {
      const answer = await call("GET", "/api/v1/classify?projectId=prj_1&limit=1");
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject([{ id: "clf_1", projectId: "prj_1", isGlobal: false, deploymentRoutes: [] }]);
      expect(answer.headers.get("link")).toBe('</api/v1/classify?projectId=prj_1&limit=1&pageToken=next>; rel="next"');
      expect(answer.headers.get("cache-control")).toBe("no-store");
    });

    it("answers 201 with a Location", async () => {
      const answer = await call("POST", "/api/v1/classify/clf_1/routes", json({ deploymentId: "mdl_1" }));
      expect(answer.status).toBe(201);
      expect(answer.headers.get("location")).toBe("/api/v1/classify/clf_1/routes/rte_1");
      expect(answer.json).toMatchObject({ deploymentId: "mdl_1", targetDeploymentId: null, minConfidence: null });
    });

    it("tells an error with its reason and metadata", async () => {
      const answer = await call("POST", "/api/v1/classify/clf_1/routes", {
        ...json({ deploymentId: "mdl_taken" }),
        headers: { "content-type": "application/json; charset=UTF-8", "x-request-id": "req-1" },
      });
      expect(answer.status).toBe(409);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(answer.headers.get("x-request-id")).toBe("req-1");
      expect(answer.json).toEqual({
        type: "about:blank",
        title: "Conflict",
        status: 409,
        detail: "There is such a route.",
        instance: "/api/v1/classify/clf_1/routes",
        code: "ROUTE_EXISTS",
        requestId: "req-1",
        errors: [],
        existingRouteId: "rte_9",
      });
    });

    it("never tells what went wrong inside", async () => {
      const answer = await call("GET", "/api/v1/projects/boom");
      expect(answer.status).toBe(500);
      expect(answer.text).not.toContain("secret detail");
      expect(answer.json["code"]).toBe("INTERNAL");
    });

    it.each([
      ["no token", "GET", "/api/v1/me", {}, 401],
      ["no token on an unknown path", "GET", "/api/v1/nothing", {}, 401],
      ["no token with a wrong method", "DELETE", "/api/v1/me", {}, 401],
      ["no token on a removed endpoint", "GET", "/api/v1/projects/p/schema", {}, 401],
      ["a wrong token", "GET", "/api/v1/me", { authorization: "Bearer swo_wrong" }, 401],
      ["another scheme", "GET", "/api/v1/me", { authorization: "Basic YTpi" }, 401],
    ])("checks the token first: %s", async (_title, method, path, headers, status) => {
      const answer = await call(method, path, { token: "", headers: headers as Record<string, string> });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(Object.keys(answer.json)).toEqual(
        expect.arrayContaining(["type", "title", "status", "detail", "instance", "code", "requestId", "errors"]),
      );
    });

    it("takes the scheme in any case", async () => {
      const answer = await call("GET", "/api/v1/me", {
        token: "",
        headers: { authorization: `bEARER ${system.token}` },
      });
      expect(answer.status).toBe(200);
    });

    it("answers 404, 405 with Allow, and 410 with what replaces it", async () => {
      expect((await call("GET", "/api/v1/nothing")).json).toMatchObject({ status: 404, code: "NOT_FOUND" });
      const wrong = await call("PUT", "/api/v1/classify", { headers: { "x-http-method-override": "GET" } });
      expect(wrong.status).toBe(405);
      expect(wrong.headers.get("allow")).toBe("GET, POST");
      expect((await call("HEAD", "/api/v1/me")).status).toBe(405);
      expect((await call("POST", "/api/v1/projects/p/schema")).status).toBe(405);
      const gone = await call("GET", "/api/v1/projects/prj_1/schema?anything=1&anything=2");
      expect(gone.status).toBe(410);
      expect(gone.headers.get("link")).toBe('</api/v1/projects/prj_1/deployments>; rel="successor-version"');
      expect(gone.json).toMatchObject({
        code: "ENDPOINT_REMOVED",
        replacements: ["/api/v1/projects/{projectId}/deployments", "/api/v1/deployments/{deploymentId}/configuration"],
      });
    });

    it("checks content type, size and shape, in this order", async () => {
      const path = "/api/v1/classify/clf_1/routes";
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"])
        expect((await call("POST", path, { body: "{}", headers: { "content-type": type } })).status).toBe(415);
      expect((await call("POST", path, { body: new Uint8Array([123, 125]) })).status).toBe(415);
      expect((await call("POST", path, json("x".repeat(1_100_000)))).json).toMatchObject({
        code: "PAYLOAD_TOO_LARGE",
        status: 413,
      });
      expect((await call("POST", path, json({ deploymentId: 1, isGlobal: true }))).json).toMatchObject({
        status: 400,
        code: "INVALID_REQUEST",
        errors: [{ field: "deploymentId" }, { field: "isGlobal" }],
      });
      expect((await call("GET", "/api/v1/classify?projectId[$ne]=")).json).toMatchObject({
        errors: [{ field: "projectId[$ne]" }],
      });
      expect((await call("POST", path, { ...json(""), body: new Uint8Array([34, 255, 34]) })).status).toBe(400);
    });

    it("takes a CORS preflight without a token, and grants nothing", async () => {
      const headers = { origin: "http://x", "access-control-request-method": "GET" };
      const answer = await call("OPTIONS", "/api/v1/me", { token: "", headers });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([405, null]);
      expect((await call("OPTIONS", "/api/v1/me", { token: "" })).status).toBe(401);
    });

    it("takes no body where none is declared, and no compressed one", async () => {
      expect((await call("DELETE", "/api/v1/me", json({}))).status).toBe(405);
      const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
      expect((await call("POST", "/api/v1/classify", { body: "{}", headers: gzip })).status).toBe(415);
    });

    it("leaves permissions to the service", async () => {
      const answer = await call(
        "POST",
        "/api/v1/classify/clf_1/routes",
        json({ deploymentId: "m" }, system.readOnlyToken),
      );
      expect(answer.json).toMatchObject({ status: 403, code: "MISSING_PERMISSION", permission: "models:edit" });
    });

    it("passes on only headers of its allow-list, and makes a request id where none is sane", async () => {
      const answer = await call("GET", "/api/v1/me", {
        headers: {
          "x-switchyard-identity": "forged",
          "grpc-metadata-x": "1",
          "x-internal-identity": "x",
          "grpc-timeout": "1n",
          traceparent: "00-1-2-03",
          "x-request-id": "not sane\u00e9",
        },
      });
      expect(answer.status).toBe(200);
      const seen = system.headers.at(-1) ?? new Headers();
      expect(seen.get("traceparent")).toBe("00-1-2-03");
      expect(seen.get("x-switchyard-identity")).not.toBe("forged");
      for (const name of ["authorization", "grpc-metadata-x", "x-internal-identity"]) expect(seen.get(name)).toBeNull();
      expect(system.requestIds.at(-1)).toBe(answer.headers.get("x-request-id"));
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    });

    it("never logs a token", async () => {
      await call("GET", "/api/v1/me");
      expect(system.log.join("")).toContain("IdentityService.GetMe");
      expect(system.log.join("")).not.toContain(system.token);
    });
  });

  describe("downloads", () => {
    it("sends the bytes as an attachment that is never sniffed", async () => {
      const response = await fetch(`${system.gateway.url}/api/v1/files/fil_1/content`, {
        headers: { authorization: `Bearer ${system.token}` },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/pdf");
      expect(response.headers.get("content-disposition")).toBe(
        `attachment; filename="Gr__e _1_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`,
      );
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-internal")).toBeNull();
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBe(5 + 40 * 65_536);
      expect(bytes.subarray(0, 5).toString()).toBe("%PDF-");
    });

    it("answers with a problem before the first bytes, and breaks off after them", async () => {
      expect((await call("GET", "/api/v1/files/none/content")).json).toMatchObject({
        status: 404,
        code: "FILE_NOT_FOUND",
      });
      await expect(call("GET", "/api/v1/files/broken/content")).rejects.toThrow();
    });
  });

  describe("uploads", () => {
    const files = "/api/v1/projects/prj_1/files";
    const form = (...parts: [name: string, value: string | Blob, filename?: string][]): FormData => {
      const data = new FormData();
      for (const [name, value, filename] of parts)
        if (typeof value === "string") data.append(name, value);
        else data.append(name, value, filename);
      return data;
    };
    const file = (content: string | Buffer, type = "application/pdf") => new Blob([content], { type });

    it("streams the file of a form", async () => {
      const content = Buffer.alloc(300_000, "abc");
      const answer = await call("POST", files, { body: form(["file", file(content), "Größe.pdf"]) });
      expect(answer.json).toMatchObject({ filename: "Größe.pdf", contentType: "application/pdf", size: 300_000 });
      expect(answer.status).toBe(201);
      expect(answer.headers.get("location")).toMatch(/^\/api\/v1\/files\/fil_\d+$/);
      const stored = system.stored.at(-1);
      expect(stored?.projectId).toBe("prj_1");
      expect(stored?.data.equals(content)).toBe(true);
    });

    it("streams a raw body under its ?filename=", async () => {
      const headers = { "content-type": "text/csv" };
      const answer = await call("POST", `${files}?filename=a%20b.csv`, { body: "x,y", headers });
      expect(answer.json).toMatchObject({ filename: "a b.csv", contentType: "text/csv", size: 3 });
      expect((await call("POST", files, { body: "x", headers })).json).toMatchObject({
        status: 400,
        errors: [{ field: "filename" }],
      });
      expect((await call("POST", `${files}?filename=a&x=1`, { body: "x", headers })).json).toMatchObject({
        errors: [{ field: "x" }],
      });
    });

    it.each([
      ["no file", form(["other", "x"]), 400, ["file"]],
      ["an unknown part", form(["other", "x"], ["file", file("x"), "a.pdf"]), 400, ["other"]],
      ["an unknown part after the file", form(["file", file("x"), "a.pdf"], ["other", "x"]), 400, ["other"]],
      ["an unknown file", form(["file", file("x"), "a.pdf"], ["second", file("y"), "b.pdf"]), 400, ["second"]],
      ["two files", form(["file", file("x"), "a.pdf"], ["file", file("y"), "b.pdf"]), 400, ["file"]],
      ["no filename", form(["file", "x"]), 400, ["file"]],
      ["an empty file", form(["file", file(""), "a.pdf"]), 400, ["file"]],
      ["a path variable as a part", form(["projectId", "prj_2"], ["file", file("x"), "a.pdf"]), 400, ["projectId"]],
      ["a file too large", form(["file", file(Buffer.alloc(26_214_401)), "a.pdf"]), 413, ["file"]],
    ])("refuses a form with %s, and nothing is stored", async (_title, body, status, fields) => {
      const before = system.stored.length;
      const { json: problem } = await call("POST", files, { body });
      expect(problem).toMatchObject({ status, errors: fields.map((field) => ({ field })) });
      expect(system.stored.length).toBe(before);
    });

    it("takes the largest file", async () => {
      const answer = await call("POST", files, { body: form(["file", file(Buffer.alloc(26_214_400)), "a.pdf"]) });
      expect(answer.json).toMatchObject({ size: 26_214_400 });
    });

    it("takes JSON for a file like any other", async () => {
      expect((await call("POST", files, json({ filename: "a" }))).status).toBe(400);
      expect((await call("POST", `${files}?filename=a.json`, json({ total: 1 }))).status).toBe(201);
    });

    it("refuses other multiparts where a file is due, an empty raw body, and a malformed form", async () => {
      const mixed = { "content-type": "multipart/mixed; boundary=x" };
      expect((await call("POST", `${files}?filename=a`, { body: "x", headers: mixed })).status).toBe(415);
      const raw = { "content-type": "text/plain" };
      expect((await call("POST", `${files}?filename=a`, { body: "", headers: raw })).json).toMatchObject({
        code: "EMPTY_FILE",
      });
      for (const type of ["multipart/form-data", "multipart/form-data; boundary=x"])
        expect(
          (await call("POST", files, { body: "--x\r\nnot a form", headers: { "content-type": type } })).status,
        ).toBe(400);
    });

    it("tells what the service says of the upload", async () => {
      const body = form(["file", file(Buffer.alloc(5_000_000)), "a.pdf"]);
      const answer = await call("POST", "/api/v1/projects/prj_unknown/files", { body });
      expect(answer.json).toMatchObject({ status: 404, code: "PROJECT_NOT_FOUND" });
    });

    it("fills the message of a method that takes one, with the other parts by their REST names", async () => {
      const body = form(
        ["extract", "false"],
        ["externalId", "e-1"],
        ["file", file("hello", "text/plain"), "a.txt"],
        ["explain", "true"],
      );
      const answer = await call("POST", "/api/v1/classify/clf_1/classifications", { body });
      expect(answer.status).toBe(201);
      expect(system.classified.at(-1)).toMatchObject({
        classifierId: "clf_1",
        extract: false,
        explain: true,
        externalId: "e-1",
        document: { case: "content", value: { filename: "a.txt", contentType: "text/plain" } },
      });
      expect(Buffer.from(lastContent()?.data ?? []).toString()).toBe("hello");
      const wrong = form(["extract", "yes"], ["file", file("x"), "a.txt"]);
      expect((await call("POST", "/api/v1/classify/clf_1", { body: wrong })).json).toMatchObject({
        errors: [{ field: "extract" }],
      });
    });

    it("takes the same document as base64 in JSON, on the shorter path too", async () => {
      const content = {
        filename: "a.txt",
        contentType: "text/plain",
        data: Buffer.alloc(2_000_000, 65).toString("base64"),
      };
      expect((await call("POST", "/api/v1/classify/clf_1", json({ content }))).status).toBe(201);
      expect(lastContent()?.data.length).toBe(2_000_000);
      expect((await call("POST", "/api/v1/classify/clf_1", json({ content: { data: "%%" } }))).json).toMatchObject({
        errors: [{ field: "content.data" }],
      });
    });
  });

  describe("open paths", () => {
    it.each(["/healthz", "/readyz", "/openapi.json"])("serves %s without a token, to GET only", async (path) => {
      expect((await call("GET", path, { token: "" })).status).toBe(200);
      const wrong = await call("POST", path, { token: "" });
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
    });

    it("says in every 503 after how long to ask again", async () => {
      const answer = await call("GET", "/api/v1/projects/full");
      expect([answer.status, answer.json["code"], answer.headers.get("retry-after")]).toEqual([
        503,
        "STORAGE_FULL",
        "10",
      ]);
    });

    it("serves the description under /api/v1 too, after the check of the token", async () => {
      const path = "/api/v1/openapi.json";
      expect((await call("GET", path, { token: "" })).status).toBe(401);
      const described = await call("GET", path);
      expect([described.status, described.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(described.json).toEqual((await call("GET", "/openapi.json", { token: "" })).json);
      const wrong = await call("POST", path);
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
    });

    it("answers 404 elsewhere", async () => {
      expect((await call("GET", "/constructor", { token: "" })).json).toMatchObject({
        status: 404,
        instance: "/constructor",
      });
    });
  });
});
