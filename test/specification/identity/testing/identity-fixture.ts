import { createRest } from "../../../rest.ts";
import type { RestResponse, Rest } from "../../../rest.ts";
import { getBody, givenSystem } from "../../testing/office.ts";
import type { GivenSystem, Where } from "../../testing/office.ts";

/** Every permission that a token can have. */
export const everything = [
  "documents:read",
  "documents:write",
  "classify",
  "models:read",
  "models:edit",
  "benchmarks:read",
  "benchmarks:run",
  "tokens:admin",
  "organization:models:edit",
  "organization:admin",
];

/** The fields of a token, in their order. */
export const tokenKeys = [
  "id",
  "name",
  "scope",
  "projectId",
  "teamIds",
  "permissions",
  "createdBy",
  "createdAt",
  "expiresAt",
  "lastUsedAt",
  "prefix",
  "status",
  "userId",
];

/** An organization with one administrator, a second organization, and functions that create resources in the first one. */
export interface GivenIdentity extends GivenSystem {
  admin: Rest;
  /** An administrator of another organization. */
  outsider: Rest;
  teamId: string;
  userId: string;
  createProject(name: string, teamIds?: string[]): Promise<any>;
  createOrganizationToken(permissions: string[], teamIds?: string[]): Promise<any>;
  createProjectToken(projectId: string, permissions: string[]): Promise<any>;
  /** Returns the API as the holder of a token. */
  getRest(token: { secret: string }): Rest;
}

/** Creates the two organizations before the surrounding tests. */
export function givenIdentity(where: Where): GivenIdentity {
  const system = givenSystem(where);
  const given: GivenIdentity = Object.assign(system, {
    admin: undefined as unknown as Rest,
    outsider: undefined as unknown as Rest,
    teamId: "",
    userId: "",
    createProject: (name: string, teamIds: string[] = []) =>
      created(given.admin.post("/api/v1/projects", { name, teamIds })),
    createOrganizationToken: (permissions: string[], teamIds: string[] = [given.teamId]) =>
      created(given.admin.post("/api/v1/tokens", { name: "Ours", scope: "ORGANIZATION", teamIds, permissions })),
    createProjectToken: (projectId: string, permissions: string[]) =>
      created(given.admin.post("/api/v1/tokens", { name: "Its", scope: "PROJECT", projectId, permissions })),
    getRest: ({ secret }: { secret: string }) => createRest(given.system.url, secret),
  });
  beforeAll(async () => {
    given.admin = createRest(given.system.url, given.system.token);
    given.outsider = createRest(given.system.url, await given.system.anotherOrganization("Elsewhere"));
    const { body } = await given.admin.get("/api/v1/me");
    given.teamId = body.token.teamIds[0];
    given.userId = body.user.id;
  }, 120_000);
  return given;
}

/** Returns the body of a response that must be 201. */
export const created = (response: Promise<RestResponse>): Promise<any> => getBody(response, 201);

export const remove = (rest: Rest, path: string): Promise<RestResponse> => rest.send(path, { method: "DELETE" });

/** Asserts status and reason of an error and, if given, that the error names a field. */
export function expectProblem(response: RestResponse, status: number, code: string, field?: string): void {
  expect({ status: response.status, code: response.body?.code, text: response.text }).toMatchObject({ status, code });
  if (field !== undefined) expect(response.body.errors.map((error: any) => error.field)).toContain(field);
}

/** Repeats a request until it has this status; returns how many milliseconds that took. */
export async function untilStatus(ask: () => Promise<RestResponse>, status: number): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const response = await ask();
    const elapsed = performance.now() - begin;
    if (response.status === status) return elapsed;
    if (elapsed > 60_000) throw new Error(`still ${response.status} after a minute`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
