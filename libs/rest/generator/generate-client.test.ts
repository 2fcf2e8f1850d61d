import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printClient, publicServices } from "./generate-client.ts";

describe("the generated part of libs/client", () => {
  const services = publicServices();
  const printed = printClient(services);

  it("equals the output of the generator", () => {
    const committed = readFileSync(join(import.meta.dirname, "../../client/src/gen/api.ts"), "utf8");
    // If this fails, run `npm run generate` and commit the result.
    expect(committed).toBe(printed);
  });

  it("has no internal services and no removed endpoints", () => {
    expect(services.map(({ name }) => name)).not.toContain("TargetService");
    expect(printed).not.toContain("getProjectSchema");
  });

  it("has optional fields in requests, and required fields in responses", () => {
    const request = /export interface AddRouteRequest \{([^}]*)\}/.exec(printed)?.[1];
    expect(request).toContain("readonly classifierId: string;");
    expect(request).toContain("readonly targetDeploymentId?: string | null | undefined;");
    const classifier = /export interface Classifier \{([^}]*)\}/.exec(printed)?.[1];
    expect(classifier).toContain("readonly projectId: string | null;");
    expect(classifier).toContain("readonly deploymentRoutes: readonly Route[];");
    expect(/export interface UpdateConfigurationRequest \{([^}]*)\}/.exec(printed)?.[1]).not.toContain("updateMask");
  });
});
