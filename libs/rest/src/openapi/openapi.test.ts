import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createOpenApi } from "./openapi.ts";
import { createRoutes } from "../routing/routes.ts";

type Json = { readonly [key: string]: Json } & readonly Json[];
const services = [IdentityService, ConfigurationService, ExtractionService, ClassifierService];
const document = JSON.parse(JSON.stringify(createOpenApi(services, { title: "t", version: "v1" }))) as Json;
const at = (...path: string[]): Json => path.reduce((node, key) => node[key] as Json, document);
const operations = Object.entries(at("paths")).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("createOpenApi", () => {
  it("has every route of the contracts, with a unique operation ID", () => {
    const routes = createRoutes(services).filter(({ removed }) => removed === undefined);
    expect(operations.length).toBe(routes.length);
    expect(new Set(operations.map(({ operation }) => operation["operationId"])).size).toBe(operations.length);
  });

  it("has only references that exist", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) expect(at(...reference.split("/"))).toBeDefined();
  });

  it("declares exactly the variables of each path, and the problem of each error", () => {
    for (const { path, operation } of operations) {
      const declared = (operation["parameters"] ?? ([] as unknown as Json)).filter(
        ({ in: place }) => (place as unknown) === "path",
      );
      expect(declared.map(({ name }) => `{${String(name)}}`)).toEqual(path.match(/\{[^}]+\}/g) ?? []);
      const responses = Object.entries(operation["responses"] ?? {});
      expect(responses.map(([status]) => status)).toEqual(expect.arrayContaining(["400", "401", "500", "503", "504"]));
      for (const [status, response] of responses) {
        expect(status).toMatch(/^(?:[2345]\d\d|default)$/);
        if (/^[23]/.test(status)) continue;
        const named = at(...String(response["$ref"]).split("/").slice(1));
        expect(named["content"]?.["application/problem+json"]?.["schema"]).toEqual({
          $ref: "#/components/schemas/Problem",
        });
      }
    }
  });

  it("describes every operation, parameter and field", () => {
    const undescribed: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { description, $ref } = node as { description?: string; $ref?: string };
      const isField = /\/properties\/[^/]+$/.test(path) && !path.includes("/oneOf/");
      const isOperation = /^\/paths\/[^ ]+ (?:get|put|post|patch|delete)$/.test(path);
      const isParameter = /\/parameters\/\d+$/.test(path);
      if ((isField || isOperation || isParameter) && $ref === undefined && (description ?? "") === "")
        undescribed.push(path);
      for (const [key, value] of Object.entries(node))
        look(
          value,
          path.startsWith("/paths") && !path.includes(" ") && path !== "/paths" ? `${path} ${key}` : `${path}/${key}`,
        );
    };
    look({ paths: document["paths"], components: { schemas: at("components", "schemas") } }, "");
    expect(undescribed).toEqual([]);
  });

  it("starts each operation with a short sentence that describes it", () => {
    for (const { operation } of operations) {
      const { summary, description } = operation as unknown as { summary: string; description: string };
      expect(summary).toMatch(/^[A-Z][a-z]+s [^.]{5,120}$/);
      expect(description.startsWith(`${summary}.`)).toBe(true);
    }
  });

  it("has paragraphs on one line, REST names of fields, and lists of enum values", () => {
    const descriptions = [...JSON.stringify(document).matchAll(/"description":("(?:[^"\\]|\\.)*")/g)].map(
      (match) => JSON.parse(match[1] ?? "") as string,
    );
    expect(descriptions.length).toBeGreaterThan(400);
    for (const text of descriptions) {
      expect(text).not.toMatch(/[^\n]\n(?!\n|- )/);
      expect(text).not.toMatch(/`[a-z][a-z0-9]*_[a-z0-9_]*`/);
    }
    const classifier = at("components", "schemas", "Classifier", "properties");
    expect(classifier["isGlobal"]?.["description"]).toContain("`projectId`");
    const statuses = at("components", "schemas", "Token", "properties", "status");
    expect(statuses["description"]).toContain("\n\n- `ACTIVE`: The token is accepted.\n- `REVOKED`: ");
  });

  it("has the REST names and nullability of fields", () => {
    const route = at("components", "schemas", "Route", "properties");
    expect(Object.keys(route)).toEqual([
      "id",
      "name",
      "description",
      "deploymentId",
      "deployment",
      "targetDeploymentId",
      "targetDeployment",
    ]);
    expect(route["targetDeploymentId"]).toMatchObject({ type: ["string", "null"] });
    expect(route["targetDeployment"]).toMatchObject({
      anyOf: [{ $ref: "#/components/schemas/RouteDeployment" }, { type: "null" }],
    });
    expect(at("components", "schemas", "Classifier", "required")).toEqual([
      "id",
      "name",
      "projectId",
      "isGlobal",
      "routeProjects",
      "deploymentRoutes",
      "classificationCount",
      "createdAt",
      "updatedAt",
    ]);
    expect(at("components", "schemas", "Model", "properties", "status")).toMatchObject({
      type: ["string", "null"],
      enum: ["ACTIVE", "PAUSED", null],
    });
  });

  it("describes conditional requests of resources, and ranges of files", () => {
    const get = (path: string) => at("paths", path, "get");
    const parameters = (path: string, method = "get") =>
      (at("paths", path, method)["parameters"] ?? ([] as unknown as Json)).map(({ $ref }) => String($ref));
    const resource = "/api/v1/deployments/{deploymentId}/configuration";
    expect(get(resource)["responses"]?.["304"]?.["headers"]).toHaveProperty("ETag");
    expect(get(resource)["responses"]?.["206"]).toBeUndefined();
    expect(parameters(resource)).toContain("#/components/parameters/IfNoneMatch");
    expect(parameters(resource)).not.toContain("#/components/parameters/Range");
    const content = get("/api/v1/files/{fileId}/content");
    expect(Object.keys(content["responses"] ?? {})).toEqual(
      expect.arrayContaining(["200", "206", "304", "406", "416"]),
    );
    expect(content["responses"]?.["206"]?.["headers"]).toHaveProperty("Content-Range");
    expect(parameters("/api/v1/files/{fileId}/content")).toContain("#/components/parameters/Range");
    const list = get("/api/v1/projects/{projectId}/files");
    expect([list["responses"]?.["304"], list["responses"]?.["416"]]).toEqual([undefined, undefined]);
    const removal = at("paths", "/api/v1/files/{fileId}", "delete", "responses");
    expect([removal["304"], removal["406"]]).toEqual([undefined, undefined]);
    expect(Object.keys(removal)).toContain("412");
    expect(parameters("/api/v1/files/{fileId}", "delete")).toContain("#/components/parameters/IfMatch");
    expect(parameters("/api/v1/teams/{teamId}", "patch")).not.toContain("#/components/parameters/IfMatch");
  });

  it("has the bodies and responses of requests, uploads and lists", () => {
    const add = at("paths", "/api/v1/classify/{classifierId}/routes", "post");
    const body = add["requestBody"]?.["content"]?.["application/json"]?.["schema"];
    expect(Object.keys(body?.["properties"] ?? {})).not.toContain("classifierId");
    expect([body?.["additionalProperties"], body?.["required"]]).toEqual([false, ["deploymentId"]]);
    const statuses = [
      "201",
      "400",
      "401",
      "403",
      "404",
      "406",
      "409",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503",
      "504",
      "default",
    ];
    expect(Object.keys(add["responses"] ?? {})).toEqual(statuses);
    // A filter without matches is not an error, and only some methods can conflict.
    expect(at("paths", "/api/v1/audit", "get", "responses")["404"]).toBeUndefined();
    expect(at("paths", "/api/v1/files/{fileId}", "delete", "responses")["409"]).toBeUndefined();
    expect(at("paths", "/api/v1/tokens/{tokenId}", "delete", "responses")["409"]).toBeDefined();
    const update = at("paths", "/api/v1/deployments/{deploymentId}/configuration", "patch");
    expect(JSON.stringify(update["requestBody"])).not.toContain("updateMask");
    const upload = at("paths", "/api/v1/projects/{projectId}/files", "post");
    expect(Object.keys(upload["requestBody"]?.["content"] ?? {})).toEqual(["multipart/form-data", "*/*"]);
    const parts = upload["requestBody"]?.["content"]?.["multipart/form-data"]?.["schema"]?.["properties"];
    expect(Object.keys(parts ?? {})).toEqual(["file"]);
    const classify = at("paths", "/api/v1/classify/{classifierId}/classifications", "post");
    const form = classify["requestBody"]?.["content"]?.["multipart/form-data"]?.["schema"]?.["properties"];
    expect(Object.keys(form ?? {})).toEqual(["file", "extract", "explain", "externalId"]);
    const list = at("paths", "/api/v1/classify", "get", "responses", "200", "content", "application/json", "schema");
    expect(list).toEqual({ type: "array", items: { $ref: "#/components/schemas/Classifier" } });
    expect(Object.keys(at("paths"))).not.toContain("/api/v1/projects/{projectId}/schema");
    expect(at("info", "description")).toContain("`GET /api/v1/projects/{projectId}/schema`");
  });

  it("has the required fields, limits and defaults of requests", () => {
    const [projectId, limit] = at("paths", "/api/v1/classify", "get", "parameters");
    expect([projectId?.["name"], projectId?.["required"]]).toEqual(["projectId", true]);
    expect(limit?.["schema"]).toEqual({ type: "integer", minimum: 1, maximum: 500 });
    const files = at("paths", "/api/v1/projects/{projectId}/files", "get", "parameters");
    expect(files.find(({ name }) => (name as unknown) === "limit")?.["schema"]).toMatchObject({ default: 50 });
    const create = at("paths", "/api/v1/classify", "post", "requestBody", "content", "application/json", "schema");
    expect(create["required"]).toEqual(["projectId", "name"]);
    expect(create["properties"]).toMatchObject({
      name: { type: "string", minLength: 1, maxLength: 120 },
      description: { type: ["string", "null"], maxLength: 2000 },
      routes: { type: ["array", "null"], maxItems: 200 },
    });
    expect(at("components", "schemas", "RouteInputBody", "required")).toEqual(["deploymentId"]);
    const rename = at("paths", "/api/v1/classify/{classifierId}", "patch", "requestBody");
    expect(rename["content"]?.["application/json"]?.["schema"]).not.toHaveProperty("required");
    expect(rename["required"]).toBe(false);
    const token = at("paths", "/api/v1/tokens", "post", "requestBody", "content", "application/json", "schema");
    expect(token["required"]).toEqual(["name", "scope", "permissions"]);
  });
});
