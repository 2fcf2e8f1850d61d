import fc from "fast-check";
import { createRouter } from "./router.ts";

function createTestRouter(...routes: string[]) {
  return createRouter(
    routes.map((route) => {
      const [method = "", template = ""] = route.split(" ");
      return { method, template, target: template };
    }),
  );
}

// Rules of google.api.http: which route matches, what a variable contains, and how it is decoded.
const cases: [routes: string[], request: string, target: string | undefined, variables?: Record<string, string>][] = [
  [
    ["GET /person", "GET /person/{id=*}", "GET /{x=**}:verb"],
    "GET /person/jason:other",
    "/person/{id=*}",
    { id: "jason:other" },
  ],
  [["GET /person/{id=*}", "GET /{x=**}:verb"], "GET /person/jason:verb", "/{x=**}:verb", { x: "person/jason" }],
  [["GET /a/*", "GET /a/b"], "GET /a/b", "/a/b"],
  [["GET /a/*", "GET /a/b"], "GET /a/c", "/a/*"],
  [["GET /a/**", "GET /a/*"], "GET /a/c", "/a/*"],
  [["GET /a/**", "GET /a/*"], "GET /a/c/d", "/a/**"],
  [["GET /a/**"], "GET /a", "/a/**"],
  [["GET /a/{x}/c", "GET /a/b/{y}"], "GET /a/b/c", "/a/b/{y}", { y: "c" }],
  [["GET /a/{x}/c", "GET /a/b/{y}"], "GET /a/z/c", "/a/{x}/c", { x: "z" }],
  [["GET /a/b/d", "GET /a/{x}/c"], "GET /a/b/c", "/a/{x}/c", { x: "b" }],
  [["GET /{a=b/*}/c"], "GET /b/x/c", "/{a=b/*}/c", { a: "b/x" }],
  [["GET /{a=b/**}"], "GET /b/x/y", "/{a=b/**}", { a: "b/x/y" }],
  [["GET /{a}"], "GET /x%2Fy", "/{a}", { a: "x/y" }],
  [["GET /{a=**}"], "GET /x%2Fy/z%20w", "/{a=**}", { a: "x%2Fy/z w" }],
  [["GET /{a}"], "GET /a+b", "/{a}", { a: "a+b" }],
  [["GET /{a}"], "GET /%E2%82%AC", "/{a}", { a: "€" }],
  [["GET /a/{b}", "POST /a/{b}:go"], "POST /a/x:go", "/a/{b}:go", { b: "x" }],
  [["GET /a/{b}", "POST /a/{b}:go"], "GET /a/x:stop", "/a/{b}", { b: "x:stop" }],
  [["GET /a/{b}", "POST /a/{b}:go"], "GET /a/x:y:go:z", "/a/{b}", { b: "x:y:go:z" }],
  [["GET /a/{b}", "POST /a/{b}:go"], "POST /a/x:y:go", "/a/{b}:go", { b: "x:y" }],
  [["GET /a/{b}", "POST /a/{b}:go"], "GET /a/:go", "/a/{b}", { b: ":go" }],
  [["GET /a/b", "POST /a/{b}"], "POST /a/b", "/a/{b}", { b: "b" }],
  [["GET /"], "GET /", "/"],
  [["GET /a"], "GET /a/", undefined],
  [["GET /a"], "GET //a", undefined],
  [["GET /a"], "GET /A", undefined],
  [["GET /a"], "GET /%61", undefined],
  [["GET /a/*"], "GET /a/", undefined],
  [["GET /a/*/b"], "GET /a//b", undefined],
  [["GET /a/b"], "GET /a/../a/b", undefined],
];

describe("createRouter", () => {
  it.each(cases)("with the routes %j matches %s to %s", (routes, request, target, variables = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const match = createTestRouter(...routes).match(method, path);
    if (target === undefined) expect(match).toEqual({ kind: "not-found" });
    else expect(match).toEqual({ kind: "found", target, variables: new Map(Object.entries(variables)) });
  });

  it("reports the methods of a path", () => {
    const router = createTestRouter("GET /a/{b}", "DELETE /a/{b}", "POST /a/b", "POST /a/{b}:go");
    expect(router.match("PUT", "/a/b")).toEqual({
      kind: "method-not-allowed",
      allow: ["DELETE", "GET", "HEAD", "OPTIONS", "POST"],
    });
    expect(router.match("PUT", "/a/c")).toEqual({
      kind: "method-not-allowed",
      allow: ["DELETE", "GET", "HEAD", "OPTIONS"],
    });
    expect(router.match("GET", "/a/c:go")).toEqual({ kind: "method-not-allowed", allow: ["OPTIONS", "POST"] });
    expect(router.match("get", "/a/c")).toEqual({
      kind: "method-not-allowed",
      allow: ["DELETE", "GET", "HEAD", "OPTIONS"],
    });
  });

  it("reports a segment that is not valid UTF-8", () => {
    for (const path of ["/%", "/%zz", "/%ff", "/%c3%28"])
      expect(createTestRouter("GET /{a}").match("GET", path)).toEqual({ kind: "malformed" });
  });

  it.each([
    ["GET /a/{b}", "GET /a/{c}"],
    ["GET /a/*", "GET /a/{c}"],
    ["GET /a/**", "GET /a/{c=**}"],
    ["GET /a:go", "GET /a:go"],
    ["GET /{a=b/*}", "GET /b/{c}"],
  ])("rejects two routes of the same shape: %s and %s", (one, other) => {
    expect(() => createTestRouter(one, other)).toThrow(/two routes for GET/);
  });

  it("returns any value that is encoded in a path", () => {
    const router = createTestRouter("GET /a/{b}/c/{d}", "POST /a/{b}:go");
    const value = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(value, value, (b, d) => {
        const path = `/a/${encodeURIComponent(b)}/c/${encodeURIComponent(d)}`;
        const match = router.match("GET", path);
        expect(match).toEqual({
          kind: "found",
          target: "/a/{b}/c/{d}",
          variables: new Map([
            ["b", b],
            ["d", d],
          ]),
        });
      }),
    );
  });

  it("never throws for any path", () => {
    const router = createTestRouter("GET /a/{b}", "GET /{c=**}:go", "POST /a/{b}:go", "GET /a/b/*");
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("/", "a", "b", ":", "go", "%", "2", "é") }), (path) => {
        expect(["found", "not-found", "method-not-allowed", "malformed"]).toContain(router.match("GET", path).kind);
      }),
    );
  });
});
