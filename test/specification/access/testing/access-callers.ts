import { createRest } from "../../../rest.ts";
import type { Rest } from "../../../rest.ts";
import { projects } from "./access-table.ts";
import type { CallerFacts, ProjectKey } from "./access-table.ts";
import { getBody } from "../../testing/office.ts";

/** A token of the matrix, with the API as its holder. */
export interface MatrixCaller extends CallerFacts {
  readonly grants: string;
  readonly rights: string;
  readonly rest: Rest;
}

const reading = ["documents:read", "models:read", "benchmarks:read"];
const using = [...reading, "documents:write", "classify", "benchmarks:run"];

const issuing = ["tokens:admin", "classify", "documents:read"];

/** The permissions of tokens, by scope. */
export const rights: Readonly<Record<CallerFacts["scope"], Readonly<Record<string, readonly string[]>>>> = {
  PROJECT: { reading, using, editing: [...using, "models:edit"], issuing },
  ORGANIZATION: {
    reading,
    using,
    editing: [...using, "models:edit"],
    // Without models:edit, which it implies.
    "editing the organization": [...using, "organization:models:edit"],
    issuing,
    administering: [...issuing, "organization:admin"],
  },
};

const grants: Readonly<Record<string, readonly ProjectKey[]>> = {
  nothing: [],
  ...Object.fromEntries(projects.map((project) => [project, [project]])),
  everything: projects,
};

/** Issues a token for every combination of scope, grants and rights. */
export async function createMatrixCallers(
  url: string,
  admin: Rest,
  getId: Readonly<Record<ProjectKey, string>>,
): Promise<readonly MatrixCaller[]> {
  const { user, token } = await getBody(admin.get("/api/v1/me"), 200);
  const issue = async (body: object): Promise<Rest> =>
    createRest(url, (await getBody(admin.post("/api/v1/tokens", { name: "Matrix", ...body }), 201)).secret);
  const callers: MatrixCaller[] = [];
  for (const [granted, reach] of Object.entries(grants)) {
    const everybody = reach.length === projects.length;
    const team = { name: granted, projectIds: reach.map((project) => getId[project]), userIds: [user.id] };
    const teamIds = everybody ? token.teamIds : [(await getBody(admin.post("/api/v1/teams", team), 201)).id];
    for (const [right, permissions] of Object.entries(rights.ORGANIZATION)) {
      const rest = await issue({ scope: "ORGANIZATION", teamIds, permissions });
      callers.push({ scope: "ORGANIZATION", grants: granted, reach, rights: right, permissions, rest });
    }
  }
  for (const project of projects) {
    for (const [right, permissions] of Object.entries(rights.PROJECT)) {
      const rest = await issue({ scope: "PROJECT", projectId: getId[project], permissions });
      callers.push({ scope: "PROJECT", grants: project, reach: [project], rights: right, permissions, rest });
    }
  }
  return callers;
}
