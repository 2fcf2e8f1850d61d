import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { getBody, givenOffice } from "./office.ts";
import type { GivenOffice, Where } from "./office.ts";

/** An office and another project of its organization, with callers that have less access than the first token. */
export interface TwoProjects extends GivenOffice {
  /** A model of the office's project that has no schema. */
  bare: string;
  other: {
    projectId: string;
    model: string;
    /** A deployment of it. */
    deployment: string;
    /** A model that has no schema. */
    bare: string;
  };
  /** An organization token with access to the office's project only, and every permission on models. */
  near: Rest;
  /** An organization token with access to the other project only, and every permission on models. */
  far: Rest;
  /** An organization token with access to both projects, without the organization-level right. */
  plain: Rest;
  /** An organization token with access to both projects that may only read and classify. */
  reader: Rest;
  /** The same, with access to the other project only. */
  farReader: Rest;
  /** A project token of the office's project. */
  bound: Rest;
  /** The same, which may only read and classify. */
  boundReader: Rest;
  /** A token of another organization with every permission. */
  outsider: Rest;
}

const all = ["models:read", "models:edit", "organization:models:edit", "documents:read", "classify"];

/** Creates two projects and these callers before the surrounding tests. */
export function givenTwoProjects(where: Where): TwoProjects {
  const given = givenOffice(where) as TwoProjects;
  beforeAll(async () => {
    const { rest, system, office } = given;
    const model = (projectId: string, body: object) =>
      getBody(rest.post(`/api/v1/projects/${projectId}/deployments`, body), 201);
    const tables = [{ slug: "lease", isPrimary: true }];
    const columns = [{ slug: "landlord", name: "Landlord" }];
    const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: "Real estate" }), 201);
    const leases = await model(projectId, { name: "Leases", tables, columns });
    const deployment = await getBody(
      rest.post(`/api/v1/deployments/${leases.id}/deployments`, { name: "Leases, stable" }),
      201,
    );
    given.other = {
      projectId,
      model: leases.id,
      deployment: deployment.id,
      bare: (await model(projectId, { name: "Bare" })).id,
    };
    given.bare = (await model(office.projectId, { name: "Bare" })).id;

    const { user } = await getBody(rest.get("/api/v1/me"), 200);
    const getTeam = async (...projectIds: string[]) =>
      (await getBody(rest.post("/api/v1/teams", { name: projectIds.join(), projectIds, userIds: [user.id] }), 201)).id;
    const token = async (body: object) =>
      createRest(system.url, (await getBody(rest.post("/api/v1/tokens", { name: "Less", ...body }), 201)).secret);
    const ofTeam = (teamId: string, permissions: readonly string[]) =>
      token({ scope: "ORGANIZATION", teamIds: [teamId], permissions });
    const both = await getTeam(office.projectId, projectId);
    const inOther = await getTeam(projectId);
    const notOrganization = all.filter((name) => name !== "organization:models:edit");
    const readings = ["models:read", "documents:read", "classify"];
    const ofProject = (permissions: readonly string[]) =>
      token({ scope: "PROJECT", projectId: office.projectId, permissions });
    given.near = await ofTeam(await getTeam(office.projectId), all);
    given.far = await ofTeam(inOther, all);
    given.plain = await ofTeam(both, notOrganization);
    given.reader = await ofTeam(both, readings);
    given.farReader = await ofTeam(inOther, readings);
    given.bound = await ofProject(notOrganization);
    given.boundReader = await ofProject(readings);
    given.outsider = createRest(system.url, await system.anotherOrganization("Umbrella"));
  });
  return given;
}

let names = 0;

/** Creates a classifier of a project with routes to these targets and a unique name, and makes it global if requested. */
export async function classifierWith(
  rest: Rest,
  projectId: string,
  routes: readonly object[] = [],
  scope: "project" | "global" = "project",
): Promise<{ id: string; name: string; path: string; routes: any[] }> {
  names += 1;
  const name = `Classifier ${names}`;
  const { id } = await getBody(rest.post("/api/v1/classify", { projectId, name }), 201);
  const path = `/api/v1/classify/${id}`;
  if (scope === "global") await getBody(rest.post(`${path}:makeGlobal`), 200);
  const added = [];
  for (const route of routes) added.push(await getBody(rest.post(`${path}/routes`, route), 201));
  return { id, name, path, routes: added };
}
