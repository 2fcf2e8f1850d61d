import { create } from "@bufbuild/protobuf";
import {
  ClassifierSchema,
  ClassifierService,
  ListClassifiersRequestSchema,
  ListClassifiersResponseSchema,
  RouteDetailSchema,
  type AddRouteRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import fc from "fast-check";
import { createRestApi, type Endpoint } from "./api.ts";
import { expandTemplate } from "./routing/template.ts";

const services = [IdentityService, ConfigurationService, ExtractionService, AcceptedValuesService, ClassifierService];
const api = createRestApi(services);

function found(method: string, path: string): { endpoint: Endpoint; variables: ReadonlyMap<string, string> } {
  const match = api.match(method, path);
  if (match.kind !== "found") throw new Error(`${method} ${path}: ${match.kind}`);
  return { endpoint: match.target, variables: match.variables };
}

function read(method: string, path: string, body = "", query = "") {
  const { endpoint, variables } = found(method, path);
  return endpoint.read({ variables, query, body: Buffer.from(body) });
}

/** Returns the fields of the violations of a request. */
function refused(method: string, path: string, body = "", query = ""): string[] {
  const outcome = read(method, path, body, query);
  return outcome.ok ? [] : outcome.violations.map(({ field }) => field);
}

describe("createRestApi with the real contracts", () => {
  it("reads a request with its path variable, with null as an absent field", () => {
    const outcome = read("POST", "/api/v1/classify/clf_1/routes", '{"deploymentId":"mdl_1","targetDeploymentId":null}');
    expect(outcome.ok).toBe(true);
    const message = (outcome.ok ? outcome.value : undefined) as AddRouteRequest;
    expect(message).toMatchObject({ classifierId: "clf_1", modelId: "mdl_1", name: "", examples: [] });
    expect(message.targetDeploymentId).toBeUndefined();
  });

  it.each([
    ["proto name", '{"model_id":"x"}', ["model_id"]],
    ["path variable", '{"classifierId":"x"}', ["classifierId"]],
    ["read-only field", '{"deploymentId":"a","isGlobal":true,"id":"x"}', ["isGlobal", "id"]],
    ["operator", '{"deploymentId":{"$ne":null}}', ["deploymentId"]],
    ["quoted number", '{"minConfidence":"0.5"}', ["minConfidence"]],
    ["list element", '{"examples":["a",1,null]}', ["examples[1]", "examples[2]"]],
    ["empty key", '{"":1}', ['""']],
    ["duplicate key", '{"deploymentId":"a","deploymentId":"b"}', ["deploymentId"]],
    ["lone surrogate", '{"name":"\\ud800"}', ["name"]],
    ["malformed", '{"name":', ["body"]],
    ["list", "[]", ["body"]],
    ["string", '"x"', ["body"]],
    ["prototype", '{"__proto__":{"name":"x"},"constructor":1}', ["__proto__", "constructor"]],
  ])("reports the field: %s", (_title, body, fields) => {
    expect(refused("POST", "/api/v1/classify/clf_1/routes", body)).toEqual(fields);
  });

  it("reports fields in lists", () => {
    const body = '{"projectId":"p","routes":[{"deploymentId":1},{"name":"ok","bogus":2}]}';
    expect(refused("POST", "/api/v1/classify", body)).toEqual(["routes[0].deploymentId", "routes[1].bogus"]);
  });

  it.each(['"\\ud800"', '["a", "\\udc00"]', '{"a": {"\\ud800": 1}}'])(
    "reports a lone surrogate in a value of any type: %s",
    (value) => {
      const body = `{"deploymentId":"a","tables":[{"slug":"t","rows":[{"values":{"ok":"\\ud83d\\ude00","bad":${value}}}]}]}`;
      expect(refused("PUT", "/api/v1/files/fil_1/accepted-values", body)).toEqual(["tables[0].rows[0].values.bad"]);
    },
  );

  it.each([
    ["projectId[$ne]=", ["projectId[$ne]"]],
    ["projectId=a&projectId=b", ["projectId"]],
    ["=x", ['""']],
    ["=%", ['""']],
    ["limit=7x", ["limit"]],
    ["limit=", ["limit"]],
    ["limit=%zz", ["limit"]],
    ["project_id=a", ["project_id"]],
  ])("reports the query parameter: %s", (query, fields) => {
    expect(refused("GET", "/api/v1/classify", "", query)).toEqual(fields);
  });

  it("accepts enum parameters by their REST names only", () => {
    const path = "/api/v1/projects/prj_1/deployments";
    expect(read("GET", path, "", "status=PAUSED")).toMatchObject({
      ok: true,
      value: { projectId: "prj_1", status: 2 },
    });
    expect(refused("GET", path, "", "status=MODEL_STATUS_PAUSED")).toEqual(["status"]);
    expect(refused("GET", path, "", "status=UNSPECIFIED")).toEqual(["status"]);
    expect(refused("GET", path, "", "status=2")).toEqual(["status"]);
  });

  it("rejects a body that the method does not have, and query parameters if the body has all fields", () => {
    expect(refused("GET", "/api/v1/me", "{}")).toEqual(["body"]);
    expect(refused("POST", "/api/v1/classify", "{}", "projectId=a")).toEqual(["projectId"]);
  });

  it("sets the update mask of a PATCH to the keys of the body", () => {
    const path = "/api/v1/deployments/mdl_1/configuration";
    expect(read("PATCH", path, '{"instructions":"x","columns":[]}')).toMatchObject({
      ok: true,
      value: { targetId: "mdl_1", instructions: "x", updateMask: { paths: ["instructions", "columns"] } },
    });
    expect(read("PATCH", path, "{}")).toMatchObject({ ok: true, value: { updateMask: { paths: [] } } });
    expect(refused("PATCH", path, '{"instructions":null}')).toEqual(["instructions"]);
    expect(refused("PATCH", path, '{"updateMask":"instructions"}')).toEqual(["updateMask"]);
    expect(read("PATCH", path, '{"columns":[{"slug":"a","sharedId":null}]}').ok).toBe(true);
    expect(refused("PATCH", path, '{"columns":[{"slug":null}]}')).toEqual(["columns[0].slug"]);
  });

  it("prints a list as an array with exactly the fields of the specification", () => {
    const { endpoint } = found("GET", "/api/v1/classify");
    const request = create(ListClassifiersRequestSchema, { projectId: "prj_1", limit: 1 });
    const target = { path: "/api/v1/classify", query: "projectId=prj_1&limit=1" };
    const write = (message: Parameters<typeof endpoint.write>[0]) => endpoint.write(message, request, target);
    expect(write(create(ListClassifiersResponseSchema))).toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      body: "[]",
    });
    const classifier = create(ClassifierSchema, {
      id: "clf_1",
      name: 'A "quoted" one',
      isGlobal: true,
      routes: [{ id: "rte_1", modelId: "mdl_1", model: { id: "mdl_1", type: 1, project: { id: "prj_1" } } }],
      createdAt: { seconds: 1_700_000_000n, nanos: 5_999_999 },
    });
    const response = write(
      create(ListClassifiersResponseSchema, { classifiers: [classifier], nextPageToken: "a b+c" }),
    );
    expect(response.headers["link"]).toBe('</api/v1/classify?projectId=prj_1&limit=1&pageToken=a+b%2Bc>; rel="next"');
    expect(response.body).toBe(
      '[{"id":"clf_1","name":"A \\"quoted\\" one","projectId":null,"isGlobal":true,"routeProjects":[],' +
        '"deploymentRoutes":[{"id":"rte_1","name":"","description":"","deploymentId":"mdl_1",' +
        '"deployment":{"id":"mdl_1","name":"","type":"MODEL","projectId":"","project":{"id":"prj_1","name":""}},' +
        '"targetDeploymentId":null,"targetDeployment":null}],' +
        '"classificationCount":0,"createdAt":"2023-11-14T22:13:20.005Z","updatedAt":null}]',
    );
  });

  it("fills the Location from the response, and otherwise from the request", () => {
    const { endpoint, variables } = found("POST", "/api/v1/classify/clf%2F1/routes");
    const request = endpoint.read({ variables, query: "", body: Buffer.from("{}") });
    if (!request.ok) throw new Error("refused");
    const response = endpoint.write(create(RouteDetailSchema, { id: "rte_1" }), request.value, { path: "", query: "" });
    expect(response).toMatchObject({ status: 201, headers: { location: "/api/v1/classify/clf%2F1/routes/rte_1" } });
  });

  it("prefers a custom verb to a value with a colon, for every method", () => {
    expect(found("POST", "/api/v1/classify/clf_1:makeGlobal").endpoint.route.method.name).toBe("MakeGlobal");
    expect(found("POST", "/api/v1/classify/clf_1:other").variables.get("classifier_id")).toBe("clf_1:other");
    expect(found("POST", "/api/v1/classify/clf_1%3AmakeGlobal").variables.get("classifier_id")).toBe(
      "clf_1:makeGlobal",
    );
    expect(api.match("GET", "/api/v1/classify/clf_1:makeGlobal")).toEqual({
      kind: "method-not-allowed",
      allow: ["OPTIONS", "POST"],
    });
  });

  it("never throws for any request of any route, and reports violations with their fields", () => {
    const any = fc.record({
      value: fc.string({ unit: "binary", minLength: 1 }),
      query: fc.string(),
      json: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.constantFrom(...api.routes), any, (route, { value, query, json }) => {
        const path = expandTemplate(route.template, () => value.replace(/\p{Cs}/gu, "x"));
        const match = api.match(route.httpMethod, path ?? "");
        if (match.kind !== "found") return;
        const { variables, target } = match;
        const outcome = target.read({ variables, query, body: Buffer.from(JSON.stringify(json)) });
        if (outcome.ok) expect(outcome.value.$typeName).toBe(target.route.method.input.typeName);
        else for (const { field, message } of outcome.violations) expect([field, message]).not.toContain("");
      }),
      { numRuns: 1_000 },
    );
  });

  it("distinguishes unknown paths from methods that are not allowed", () => {
    expect(api.match("GET", "/api/v1/nothing")).toEqual({ kind: "not-found" });
    expect(api.match("GET", "/api/v1/classify/")).toEqual({ kind: "not-found" });
    const allow = ["GET", "HEAD", "OPTIONS", "POST"];
    expect(api.match("PUT", "/api/v1/classify")).toEqual({ kind: "method-not-allowed", allow });
    expect(api.match("OPTIONS", "/api/v1/classify")).toEqual({ kind: "method-not-allowed", allow });
  });

  it("matches HEAD as GET, and only where there is GET", () => {
    const head = api.match("HEAD", "/api/v1/classify/clf_1");
    expect(head).toEqual(api.match("GET", "/api/v1/classify/clf_1"));
    expect(api.match("HEAD", "/api/v1/classify/clf_1:makeGlobal").kind).toBe("method-not-allowed");
    expect(api.match("GET", "/api/v1/classify/%zz")).toEqual({ kind: "malformed" });
  });
});
