import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  DeleteProjectResponseSchema,
  ListProjectsResponseSchema,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import type {
  CreateProjectRequest,
  IdentityService,
  Project,
  UpdateProjectRequest,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid, notFound } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { changedFields, validateName, fieldChange } from "@switchyard/text";
import { maxIds, validateIdList } from "../../domain/request-fields.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import { projectMessage } from "../../store/identity-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { projectOnPath } from "./project-access.ts";
import { listReachableProjectIds } from "../tokens/reachable-projects.ts";

type ProjectMethods = Pick<
  ServiceImpl<typeof IdentityService>,
  "listProjects" | "getProject" | "createProject" | "updateProject" | "deleteProject"
>;

/** Implements the RPCs of projects. */
export function projectMethods({ identities, administer, finishRemovals, now }: Dependencies): ProjectMethods {
  return {
    async listProjects(_request, context) {
      const { organizationId, tokenId } = getCaller(context);
      // The cached caller may be a second old, and grants since then count.
      const token = await identities.token(tokenId);
      const projectIds = token === null ? undefined : await listReachableProjectIds({ identities }, token);
      const projects = await identities.projects(projectIds ?? []);
      return create(ListProjectsResponseSchema, {
        projects: projects.filter((project) => project.organizationId === organizationId).map(projectMessage),
      });
    },
    getProject: async (request, context) =>
      projectMessage(await projectOnPath(identities, getCaller(context), request.projectId)),
    createProject,
    updateProject,
    async deleteProject({ projectId }, context) {
      const { name } = await projectOnPath(identities, getCaller(context), projectId);
      const response = await administer(async (records) => {
        const project = await records.project(projectId);
        if (project === null) throw notFound("project", projectId, "projectId");
        const at = now();
        await records.removeProject(project, at);
        await records.append(changeEntry(context, at, projectId, { name }));
        return create(DeleteProjectResponseSchema);
      });
      await finishRemovals();
      return response;
    },
  };

  async function createProject(request: CreateProjectRequest, context: HandlerContext): Promise<Project> {
    const { organizationId, tokenId } = getCaller(context);
    const violations = [...validateName("name", request.name), ...validateIdList("teamIds", request.teamIds)];
    if (violations.length > 0) throw invalid(violations);
    const at = now();
    const name = request.name.trim();
    const project = { _id: newId("prj"), organizationId, name, createdAt: at, updatedAt: at };
    return administer(async (records) => {
      const teamIds = await listTeams(records, { organizationId, tokenId }, request.teamIds);
      await records.insertProject(project);
      for (const teamId of teamIds) await records.grant(teamId, project);
      await records.append(changeEntry(context, at, project._id, { name, teamIds }));
      return projectMessage(project);
    });
  }

  async function updateProject(request: UpdateProjectRequest, context: HandlerContext): Promise<Project> {
    const { projectId } = request;
    await projectOnPath(identities, getCaller(context), projectId);
    const populated = request.name === "" ? [] : ["name"];
    const { fields, violations } = changedFields(request.updateMask?.paths, populated, { name: "name" });
    const allViolations = [...violations, ...(fields.has("name") ? validateName("name", request.name) : [])];
    if (allViolations.length > 0) throw invalid(allViolations);
    return administer(async (records) => {
      const project = await records.project(projectId);
      if (project === null) throw notFound("project", projectId, "projectId");
      const name = fields.has("name") ? request.name.trim() : project.name;
      if (name === project.name) return projectMessage(project);
      const next = { ...project, name, updatedAt: now() };
      await records.renameProject(next);
      await records.append(changeEntry(context, next.updatedAt, projectId, fieldChange("name", project.name, name)));
      return projectMessage(next);
    });
  }
}

/**
 * Returns the teams that the request names, which must belong to the organization, or else the teams of the caller's token. Throws InvalidArgument if
 * one of them has the maximum number of projects: one more, and calls could not carry the projects of its tokens, not even to take them away again.
 */
async function listTeams(
  records: AdministrationRecords,
  { organizationId, tokenId }: { organizationId: string; tokenId: string },
  named: readonly string[],
): Promise<string[]> {
  const ids = named.length === 0 ? ((await records.token(tokenId))?.teamIds ?? []) : [...new Set(named)];
  const teams = new Map((await records.teams(organizationId, ids)).map((team) => [team._id, team]));
  const unknown = named.findIndex((id) => !teams.has(id));
  if (unknown >= 0) throw notFound("team", named[unknown] ?? "", `teamIds[${unknown}]`);
  const full = [...teams.values()].find(({ projectIds }) => projectIds.length >= maxIds);
  if (full !== undefined) {
    const field = named.length === 0 ? "teamIds" : `teamIds[${named.indexOf(full._id)}]`;
    throw invalid([{ field, message: `the team ${full._id} already grants ${maxIds} projects, the maximum` }]);
  }
  return ids;
}
