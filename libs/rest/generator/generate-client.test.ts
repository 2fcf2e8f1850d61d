import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printClient, publicServices } from "./generate-client.ts";

describe("the generated part of libs/client", () => {
  const services = publicServices();
  const printed = printClient(services);

  it("is what the generator prints from the contracts", () => {
    const committed = readFileSync(join(import.meta.dirname, "../../client/src/gen/api.ts"), "utf8");
    // When this fails: npm run generate, and commit what comes out.
    expect(committed).toBe(printed);
  });

  it("has no service that only services may call, and no endpoint that was removed", () => {
    expect(services.map(({ name }) => name)).not.toContain("TargetService");
    expect(printed).not.toContain("getProjectSchema");
  });

  it("types requests by what may be said, and answers by what is always there", () => {
    const request = /export interface AddRouteRequest \{([^}]*)\}/.exec(printed)?.[1];
    expect(request).toContain("readonly classifierId: string;");
    expect(request).toContain("readonly targetDeploymentId?: string | null | undefined;");
    const answer = /export interface Classifier \{([^}]*)\}/.exec(printed)?.[1];
    expect(answer).toContain("readonly projectId: string | null;");
    expect(answer).toContain("readonly deploymentRoutes: readonly Route[];");
    expect(/export interface UpdateConfigurationRequest \{([^}]*)\}/.exec(printed)?.[1]).not.toContain("updateMask");
  });
});
