import { create } from "@bufbuild/protobuf";
import { callerOf } from "@switchyard/access";
import {
  IdentityService,
  ListProjectsResponseSchema,
  MeSchema,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller, CreateProjectRequest, Me, Project } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid, notFound, register, unauthenticated } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { nameFaults } from "../domain/names.ts";
import { projectMessage, tokenMessage } from "../store/identity-messages.ts";
import type { Dependencies } from "./dependencies.ts";
import { projectOnPath } from "./project-access.ts";
import { projectsInReach } from "./token-reach.ts";

/** IdentityService: who the caller is, and the projects in reach. */
export function identityService({ identities, now }: Dependencies): ServiceRegistration {
  return register(IdentityService, {
    getMe: (_request, context) => me(callerOf(context)),
    async listProjects(_request, context) {
      const { organizationId, tokenId } = callerOf(context);
      // Asked anew: the caller was looked up up to a second ago, and what was granted since counts.
      const token = await identities.token(tokenId);
      const projectIds = token === null ? undefined : await projectsInReach({ identities }, token);
      const projects = await identities.projects(projectIds ?? []);
      return create(ListProjectsResponseSchema, {
        projects: projects.filter((project) => project.organizationId === organizationId).map(projectMessage),
      });
    },
    getProject: async (request, context) =>
      projectMessage(await projectOnPath(identities, callerOf(context), request.projectId)),
    createProject: (request, context) => createProject(callerOf(context), request),
  });

  async function me(caller: Caller): Promise<Me> {
    const [token, user, organization] = await Promise.all([
      identities.token(caller.tokenId),
      identities.user(caller.userId),
      identities.organization(caller.organizationId),
    ]);
    if (token === null || user === null || organization === null) {
      throw unauthenticated("TOKEN_INVALID", "The token is not valid.");
    }
    return create(MeSchema, {
      token: tokenMessage(token, now()),
      user: { id: user._id, name: user.name },
      organization: { id: organization._id, name: organization.name },
    });
  }

  async function createProject(caller: Caller, request: CreateProjectRequest): Promise<Project> {
    const faults = nameFaults("name", request.name);
    if (faults.length > 0) throw invalid(faults);
    const at = now();
    const project = {
      _id: newId("prj"),
      organizationId: caller.organizationId,
      name: request.name.trim(),
      createdAt: at,
      updatedAt: at,
    };
    await identities.createProject(project, await teamsOf(caller, request.teamIds));
    return projectMessage(project);
  }

  /** The teams named, which must be of the organization, else those of the caller's token. */
  async function teamsOf(caller: Caller, named: readonly string[]): Promise<string[]> {
    if (named.length === 0) return (await identities.token(caller.tokenId))?.teamIds ?? [];
    const ids = [...new Set(named)];
    const known = new Set((await identities.teams(caller.organizationId, ids)).map((team) => team._id));
    const unknown = named.findIndex((id) => !known.has(id));
    if (unknown >= 0) throw notFound("team", named[unknown] ?? "", `teamIds[${unknown}]`);
    return ids;
  }
}
