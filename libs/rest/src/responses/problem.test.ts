import { toCode, problemHeaders, toProblem, toStatus, type ProblemFacts } from "./problem.ts";

const facts = (code: number, reason: string, more: Partial<ProblemFacts> = {}): ProblemFacts => ({
  code,
  reason,
  message: "what happened",
  metadata: {},
  violations: [],
  ...more,
});
const request = { instance: "/api/v1/x", requestId: "r" };

describe("toStatus", () => {
  it.each([
    [1, 499],
    [2, 500],
    [3, 400],
    [4, 504],
    [5, 404],
    [6, 409],
    [7, 403],
    [8, 429],
    [9, 400],
    [10, 409],
    [11, 400],
    [12, 501],
    [13, 500],
    [14, 503],
    [15, 500],
    [16, 401],
    [0, 500],
    [17, 500],
    [-1, 500],
    [2 ** 31 - 1, 500],
    [NaN, 500],
  ])("maps code %d to %d", (code, status) => {
    expect(toStatus(code, "ANY")).toBe(status);
  });

  it.each([
    [12, "METHOD_NOT_ALLOWED", 405],
    [12, "ENDPOINT_REMOVED", 410],
    [8, "PAYLOAD_TOO_LARGE", 413],
    [3, "URI_TOO_LONG", 414],
    [3, "UNSUPPORTED_MEDIA_TYPE", 415],
    [9, "IDEMPOTENCY_KEY_REUSED", 422],
    [3, "HEADERS_TOO_LARGE", 431],
    [4, "REQUEST_TIMEOUT", 408],
  ])("maps code %d with reason %s to %d, and back", (code, reason, status) => {
    expect(toStatus(code, reason)).toBe(status);
    expect(toCode(status, reason)).toBe(code);
    expect(toCode(status)).toBe(code);
  });

  it("uses a reason only together with its code", () => {
    expect(toStatus(13, "ENDPOINT_REMOVED")).toBe(500);
  });
});

describe("toCode", () => {
  it.each([
    [400, "INVALID_REQUEST", 3],
    [400, "FAILED_PRECONDITION", 9],
    [401, undefined, 16],
    [403, undefined, 7],
    [404, undefined, 5],
    [409, "ROUTE_EXISTS", 6],
    [409, "ABORTED", 10],
    [429, undefined, 8],
    [499, undefined, 1],
    [500, undefined, 13],
    [500, "FILE_CONTENT_DAMAGED", 15],
    [501, undefined, 12],
    [503, undefined, 14],
    [504, undefined, 4],
    [418, undefined, 2],
    [200, undefined, 2],
  ])("maps %d %s to %d", (status, reason, code) => {
    expect(toCode(status, reason)).toBe(code);
  });

  it("is the inverse of toStatus for every code with a unique status", () => {
    for (const code of [1, 4, 5, 7, 8, 12, 13, 14, 16]) expect(toCode(toStatus(code, ""))).toBe(code);
  });
});

describe("toProblem", () => {
  it("has the eight members of a problem, and the metadata", () => {
    const metadata = {
      existingRouteId: "rte_1",
      status: "200",
      errors: "none",
      __proto__: "x",
      replacements: "/a, /b",
      limit: "6",
      used: "0",
    };
    const violations = [{ field: "a", message: "b" }];
    expect(toProblem(facts(6, "ROUTE_EXISTS", { metadata, violations }), request)).toEqual({
      type: "about:blank",
      title: "Conflict",
      status: 409,
      detail: "what happened",
      instance: "/api/v1/x",
      code: "ROUTE_EXISTS",
      requestId: "r",
      errors: violations,
      existingRouteId: "rte_1",
      replacements: ["/a", "/b"],
      limit: 6,
      used: 0,
    });
    const listed = toProblem(facts(12, "ENDPOINT_REMOVED", { metadata: { replacements: '["/a"]' } }), request);
    expect(listed).toMatchObject({ status: 410, replacements: ["/a"] });
  });

  it.each([
    [2, "WHATEVER"],
    [13, "INTERNAL"],
    [15, "DATA_LOSS"],
    [99, "X"],
    [14, "UNAVAILABLE"],
    [4, "DEADLINE_EXCEEDED"],
    [12, "UNIMPLEMENTED"],
  ])("does not reveal internal errors: code %d, reason %s", (code, reason) => {
    const secret = "connect ECONNREFUSED 10.0.0.7:8193";
    const problem = toProblem(facts(code, reason, { message: secret }), request);
    expect(JSON.stringify(problem)).not.toContain("10.0.0.7");
    expect(problem.detail.length).toBeGreaterThan(10);
  });

  it("has the reason of a 500 for damaged content", () => {
    const damaged = facts(15, "FILE_CONTENT_DAMAGED", { metadata: { fileId: "fil_1" } });
    expect(toProblem(damaged, request)).toMatchObject({
      status: 500,
      code: "FILE_CONTENT_DAMAGED",
      detail: "what happened",
      fileId: "fil_1",
    });
    expect(toProblem(facts(15, "OTHER"), request)).toMatchObject({ status: 500, code: "INTERNAL" });
  });

  it("leaves metadata and violations out of a 500, and keeps the message of a stable reason", () => {
    const inside = { metadata: { path: "/etc" }, violations: [{ field: "f", message: "m" }] };
    expect(toProblem(facts(13, "DISK", inside), request)).toMatchObject({ code: "INTERNAL", errors: [] });
    expect(toProblem(facts(13, "DISK", inside), request)).not.toHaveProperty("path");
    expect(toProblem(facts(14, "IDENTITY_UNAVAILABLE"), request).detail).toBe("what happened");
    expect(toProblem(facts(5, ""), request).code).toBe("NOT_FOUND");
  });

  it("requests a bearer token only with a 401", () => {
    expect(problemHeaders(401)).toMatchObject({ "www-authenticate": "Bearer" });
    expect(problemHeaders(403)).not.toHaveProperty("www-authenticate");
  });

  it("has Retry-After only for a 429 and a 503", () => {
    expect(problemHeaders(503)).toMatchObject({ "retry-after": "1" });
    expect(problemHeaders(429, 7)).toMatchObject({ "retry-after": "7" });
    for (const status of [400, 401, 500, 504]) expect(problemHeaders(status)).not.toHaveProperty("retry-after");
  });
});
