import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { sample } from "../../journeys/fixture.ts";
import { getBody, givenOffice } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 5: using and administering a classifier with tokens that have access to some projects only. */
export function reachSuite(where: Where): void {
  const given = givenOffice(where);
  /** A token with access to another project only, and every permission. */
  let elsewhere: Rest;
  /** A token of the classifier's project, without the organization-level rights. */
  let bound: Rest;

  beforeAll(async () => {
    const { rest, system, office } = given;
    const { user } = await getBody(rest.get("/api/v1/me"), 200);
    const project = await getBody(rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
    const team = await getBody(
      rest.post("/api/v1/teams", { name: "Others", projectIds: [project.id], userIds: [user.id] }),
      201,
    );
    const permissions = ["models:read", "models:edit", "organization:models:edit", "documents:read", "classify"];
    const token = (body: object) => getBody(rest.post("/api/v1/tokens", { name: "Less", ...body }), 201);
    const wide = await token({ scope: "ORGANIZATION", teamIds: [team.id], permissions });
    elsewhere = createRest(system.url, wide.secret);
    const narrow = permissions.filter((name) => name !== "organization:models:edit");
    bound = createRest(
      system.url,
      (await token({ scope: "PROJECT", projectId: office.projectId, permissions: narrow })).secret,
    );
  });

  it("can neither read, use nor change it, nor make it global", async () => {
    const path = `/api/v1/classify/${given.office.classifier}`;
    const statuses = [
      await elsewhere.get(path),
      await elsewhere.get(`${path}/classifications`),
      await elsewhere.post(path, { text: "An invoice" }),
      await elsewhere.post(`${path}/routes`, { deploymentId: given.office.receipts }),
      await elsewhere.post(`${path}:makeGlobal`),
      await elsewhere.get(`/api/v1/classify?projectId=${given.office.projectId}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await given.rest.get(path)).body.isGlobal).toBe(false);
  });

  it("can use a global classifier with a route into their project, but never administer it", async () => {
    const { rest, office } = given;
    const path = `/api/v1/classify/${office.classifier}`;
    expect((await bound.post(`${path}:makeGlobal`)).status).toBe(403);
    await getBody(rest.post(`${path}:makeGlobal`), 200);
    const record = await bound.upload(path, "invoice.pdf", await sample("invoice-harbour-lane.pdf"));
    expect(record).toMatchObject({ status: 201, body: { status: "CLASSIFIED", projectId: office.projectId } });
    const route = { deploymentId: office.invoices };
    expect((await bound.post(`${path}/routes`, route)).status).toBe(403);
    expect((await bound.get(path)).status).toBe(200);
    // Reading a global classifier requires the organization-level right or a route into the caller's projects, using it the latter.
    expect((await elsewhere.get(path)).status).toBe(200);
    expect((await elsewhere.post(path, { text: "An invoice" })).status).toBe(403);
    // Adding a route also requires access to the target's project.
    expect((await elsewhere.post(`${path}/routes`, route)).status).toBe(403);
  });
}
