import { createRestCalls } from "./testing/rest-calls.ts";
import { startTestGateway, type TestGateway, type Way } from "./testing/test-gateway.ts";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
  });
  afterAll(() => system.stop());

  const { call, json } = createRestCalls(() => system);

  describe("REST", () => {
    it("returns a list as an array, with a link to the next page", async () => {
      const response = await call("GET", "/api/v1/classify?projectId=prj_1&limit=1");
      expect(response.status).toBe(200);
      expect(response.json).toMatchObject([{ id: "clf_1", projectId: "prj_1", isGlobal: false, deploymentRoutes: [] }]);
      expect(response.headers.get("link")).toBe(
        '</api/v1/classify?projectId=prj_1&limit=1&pageToken=next>; rel="next"',
      );
      expect(response.headers.get("cache-control")).toBe("no-store");
    });

    it("responds with 201 and a Location", async () => {
      const response = await call("POST", "/api/v1/classify/clf_1/routes", json({ deploymentId: "mdl_1" }));
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toBe("/api/v1/classify/clf_1/routes/rte_1");
      expect(response.json).toMatchObject({ deploymentId: "mdl_1", targetDeploymentId: null, minConfidence: null });
    });

    it("responds with the reason and the metadata of an error", async () => {
      const response = await call("POST", "/api/v1/classify/clf_1/routes", {
        ...json({ deploymentId: "mdl_taken" }),
        headers: { "content-type": "application/json; charset=UTF-8", "x-request-id": "req-1" },
      });
      expect(response.status).toBe(409);
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      expect(response.headers.get("x-request-id")).toBe("req-1");
      expect(response.json).toEqual({
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

    it("does not reveal internal errors", async () => {
      const response = await call("GET", "/api/v1/projects/boom");
      expect(response.status).toBe(500);
      expect(response.text).not.toContain("secret detail");
      expect(response.json["code"]).toBe("INTERNAL");
    });

    it.each([
      ["no token", "GET", "/api/v1/me", {}, 401],
      ["no token on an unknown path", "GET", "/api/v1/nothing", {}, 401],
      ["no token with a method that is not allowed", "DELETE", "/api/v1/me", {}, 401],
      ["no token on a removed endpoint", "GET", "/api/v1/projects/p/schema", {}, 401],
      ["an invalid token", "GET", "/api/v1/me", { authorization: "Bearer swo_wrong" }, 401],
      ["another scheme", "GET", "/api/v1/me", { authorization: "Basic YTpi" }, 401],
    ])("checks the token first: %s", async (_title, method, path, headers, status) => {
      const response = await call(method, path, { token: "", headers: headers as Record<string, string> });
      expect(response.status).toBe(status);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(Object.keys(response.json)).toEqual(
        expect.arrayContaining(["type", "title", "status", "detail", "instance", "code", "requestId", "errors"]),
      );
    });

    it("ignores the case of the scheme", async () => {
      const response = await call("GET", "/api/v1/me", {
        token: "",
        headers: { authorization: `bEARER ${system.token}` },
      });
      expect(response.status).toBe(200);
    });

    it("responds with 404, with 405 and Allow, and with 410 and the replacements", async () => {
      expect((await call("GET", "/api/v1/nothing")).json).toMatchObject({ status: 404, code: "NOT_FOUND" });
      const wrong = await call("PUT", "/api/v1/classify", { headers: { "x-http-method-override": "GET" } });
      expect(wrong.status).toBe(405);
      expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
      expect((await call("POST", "/api/v1/projects/p/schema")).status).toBe(405);
      const gone = await call("GET", "/api/v1/projects/prj_1/schema?anything=1&anything=2");
      expect(gone.status).toBe(410);
      expect(gone.headers.get("link")).toBe('</api/v1/projects/prj_1/deployments>; rel="successor-version"');
      expect(gone.json).toMatchObject({
        code: "ENDPOINT_REMOVED",
        replacements: ["/api/v1/projects/{projectId}/deployments", "/api/v1/deployments/{deploymentId}/configuration"],
      });
    });

    it("checks the content type, then the size, then the fields of a body", async () => {
      const path = "/api/v1/classify/clf_1/routes";
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"])
        expect((await call("POST", path, { body: "{}", headers: { "content-type": type } })).status).toBe(415);
      expect((await call("POST", path, { body: new Uint8Array([123, 125]) })).status).toBe(415);
      for (const parameters of ["charset=utf8", 'note="a; charset=latin1"; Charset="UTF-8"', "version=1"]) {
        const headers = { "content-type": `application/json; ${parameters}` };
        const body = JSON.stringify({ deploymentId: "mdl_1" });
        expect([parameters, (await call("POST", path, { body, headers })).status]).toEqual([parameters, 201]);
      }
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

    it("rejects a body that the method does not have, and a compressed one", async () => {
      expect((await call("DELETE", "/api/v1/me", json({}))).status).toBe(405);
      const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
      expect((await call("POST", "/api/v1/classify", { body: "{}", headers: gzip })).json).toMatchObject({
        status: 415,
        detail: "The body must be sent without a content encoding.",
      });
      const identity = { "content-type": "application/json", "content-encoding": "Identity" };
      expect((await call("POST", "/api/v1/classify", { body: "[]", headers: identity })).status).toBe(400);
    });

    it("leaves the check of permissions to the service", async () => {
      const response = await call(
        "POST",
        "/api/v1/classify/clf_1/routes",
        json({ deploymentId: "m" }, system.readOnlyToken),
      );
      expect(response.json).toMatchObject({ status: 403, code: "MISSING_PERMISSION", permission: "models:edit" });
    });

    it("forwards only headers of its allow-list, and creates a request ID if there is no valid one", async () => {
      const response = await call("GET", "/api/v1/me", {
        headers: {
          "x-switchyard-identity": "forged",
          "grpc-metadata-x": "1",
          "x-internal-identity": "x",
          "grpc-timeout": "1n",
          traceparent: "00-1-2-03",
          "x-request-id": "not sane\u00e9",
        },
      });
      expect(response.status).toBe(200);
      const seen = system.headers.at(-1) ?? new Headers();
      expect(seen.get("traceparent")).toBe("00-1-2-03");
      expect(seen.get("x-switchyard-identity")).not.toBe("forged");
      for (const name of ["authorization", "grpc-metadata-x", "x-internal-identity"]) expect(seen.get(name)).toBeNull();
      expect(system.requestIds.at(-1)).toBe(response.headers.get("x-request-id"));
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    });

    it("never logs a token", async () => {
      await call("GET", "/api/v1/me");
      expect(system.log.join("")).toContain("IdentityService.GetMe");
      expect(system.log.join("")).not.toContain(system.token);
    });
  });

  describe("open paths", () => {
    it.each(["/healthz", "/readyz", "/openapi.json"])(
      "serves %s without a token, for GET, HEAD and OPTIONS only",
      async (path) => {
        expect((await call("GET", path, { token: "" })).status).toBe(200);
        const wrong = await call("POST", path, { token: "" });
        expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      },
    );

    it("sends Retry-After with a 503", async () => {
      const response = await call("GET", "/api/v1/projects/full");
      expect([response.status, response.json["code"], response.headers.get("retry-after")]).toEqual([
        503,
        "STORAGE_FULL",
        "10",
      ]);
    });

    it("also serves the description under /api/v1, with a token", async () => {
      const path = "/api/v1/openapi.json";
      expect((await call("GET", path, { token: "" })).status).toBe(401);
      const described = await call("GET", path);
      expect([described.status, described.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(described.json).toEqual((await call("GET", "/openapi.json", { token: "" })).json);
      const wrong = await call("POST", path);
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    });

    it("responds with 404 to other paths", async () => {
      expect((await call("GET", "/constructor", { token: "" })).json).toMatchObject({
        status: 404,
        instance: "/constructor",
      });
    });
  });
});
