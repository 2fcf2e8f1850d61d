import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createOpenApi } from "./openapi.ts";
import { routesOf } from "./routes.ts";

type Json = { readonly [key: string]: Json } & readonly Json[];
const services = [IdentityService, ConfigurationService, ExtractionService, ClassifierService];
const document = JSON.parse(JSON.stringify(createOpenApi(services, { title: "t", version: "v1" }))) as Json;
const at = (...path: string[]): Json => path.reduce((node, key) => node[key] as Json, document);
const operations = Object.entries(at("paths")).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("createOpenApi", () => {
  it("has every route of the contracts, under an id of its own", () => {
    expect(operations.length).toBe(routesOf(services).length);
    expect(new Set(operations.map(({ operation }) => operation["operationId"])).size).toBe(operations.length);
  });

  it("refers to nothing that is not there", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) expect(at(...reference.split("/"))).toBeDefined();
  });

  it("declares exactly the variables of each path, and an error answer for each operation", () => {
    for (const { path, operation } of operations) {
      const declared = (operation["parameters"] ?? ([] as unknown as Json)).filter(
        ({ in: place }) => (place as unknown) === "path",
      );
      expect(declared.map(({ name }) => `{${String(name)}}`)).toEqual(path.match(/\{[^}]+\}/g) ?? []);
      expect(operation["responses"]?.["default"]).toEqual({ $ref: "#/components/responses/Problem" });
    }
  });

  it("uses the REST names, and says what may be null", () => {
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
    expect(route["targetDeploymentId"]).toEqual({ type: ["string", "null"] });
    expect(route["targetDeployment"]).toEqual({
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
    expect(at("components", "schemas", "Model", "properties", "status")).toEqual({
      type: ["string", "null"],
      enum: ["ACTIVE", "PAUSED", null],
    });
  });

  it("describes bodies, uploads, downloads, created and removed things as they are", () => {
    const add = at("paths", "/api/v1/classify/{classifierId}/routes", "post");
    const body = add["requestBody"]?.["content"]?.["application/json"]?.["schema"];
    expect(Object.keys(body?.["properties"] ?? {})).not.toContain("classifierId");
    expect(body?.["additionalProperties"]).toBe(false);
    expect(Object.keys(add["responses"] ?? {})).toEqual(["201", "default"]);
    const update = at("paths", "/api/v1/deployments/{deploymentId}/configuration", "patch");
    expect(JSON.stringify(update["requestBody"])).not.toContain("updateMask");
    const upload = at("paths", "/api/v1/projects/{projectId}/files", "post");
    expect(Object.keys(upload["requestBody"]?.["content"] ?? {})).toEqual(["multipart/form-data", "*/*"]);
    const parts = upload["requestBody"]?.["content"]?.["multipart/form-data"]?.["schema"]?.["properties"];
    expect(Object.keys(parts ?? {})).toEqual(["file"]);
    const classify = at("paths", "/api/v1/classify/{classifierId}/classifications", "post");
    const form = classify["requestBody"]?.["content"]?.["multipart/form-data"]?.["schema"]?.["properties"];
    expect(Object.keys(form ?? {})).toEqual(["file", "fileId", "text", "extract", "explain", "externalId"]);
    const list = at("paths", "/api/v1/classify", "get", "responses", "200", "content", "application/json", "schema");
    expect(list).toEqual({ type: "array", items: { $ref: "#/components/schemas/Classifier" } });
    const removed = at("paths", "/api/v1/projects/{projectId}/schema", "get");
    expect([removed["deprecated"], Object.keys(removed["responses"] ?? {})]).toEqual([true, ["410", "default"]]);
  });
});
