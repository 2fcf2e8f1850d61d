import { createRest } from "../../rest.ts";
import { givenOffice } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

const replacements = ["/api/v1/projects/{projectId}/deployments", "/api/v1/deployments/{deploymentId}/configuration"];

/** Section 4.7: the schema of a project is removed. */
export function removedEndpointSuite(where: Where): void {
  const given = givenOffice(where);

  it.each([
    ["a project of the caller", () => given.office.projectId, ""],
    ["a project that does not exist", () => "prj_none", ""],
    ["an id that is none", () => "%24ne%20%2F%C3%A4%0A..", ""],
    ["a model", () => given.office.invoices, ""],
    ["a query", () => given.office.projectId, "?a=1&a=2&limit=0&b[$ne]=&=%ff"],
  ])("is 410 for %s, and names its replacements", async (_name, id, query) => {
    const response = await given.rest.get(`/api/v1/projects/${id()}/schema${query}`);
    expect({ status: response.status, code: response.body.code }).toEqual({ status: 410, code: "ENDPOINT_REMOVED" });
    expect(response.body).toMatchObject({ replacements, errors: [], title: "Gone" });
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(response.headers.get("link")).toMatch(/rel="successor-version"/);
  });

  it("is 410 for a token of another organization, and for one with few permissions", async () => {
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Elsewhere"));
    expect((await outsider.get(`/api/v1/projects/${given.office.projectId}/schema`)).status).toBe(410);
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])("is 405 for %s", async (method) => {
    const path = `/api/v1/projects/${given.office.projectId}/schema`;
    const response = await given.rest.send(path, { method });
    expect({ status: response.status, code: response.body.code }).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(response.headers.get("allow")).toMatch(/\bGET\b/);
  });

  it.each(["GET", "POST", "PUT", "PATCH", "DELETE"])("checks the token before it responds to %s", async (method) => {
    const path = `/api/v1/projects/${given.office.projectId}/schema?x=1`;
    for (const token of [undefined, "nonsense"]) {
      const response = await createRest(given.system.url, token).send(path, { method });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  it("is removed over Connect too", async () => {
    const path = "/switchyard.configuration.v1.ConfigurationService/GetProjectSchema";
    const response = await given.rest.post(path, { projectId: given.office.projectId });
    expect(response.status).toBe(501);
    expect(response.body.code).toBe("unimplemented");
  });
}
