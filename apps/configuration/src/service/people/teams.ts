import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  DeleteTeamResponseSchema,
  ListTeamsResponseSchema,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import type {
  CreateTeamRequest,
  IdentityService,
  Team,
  UpdateTeamRequest,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid, notFound } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { Violation } from "@switchyard/text";
import { changedFields, validateName, fieldChange } from "@switchyard/text";
import { validateIdList } from "../../domain/request-fields.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import type { TeamDocument } from "../../store/identity-documents.ts";
import { teamMessage } from "../../store/identity-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { readPage } from "../paging.ts";

type TeamMethods = Pick<ServiceImpl<typeof IdentityService>, "listTeams" | "createTeam" | "updateTeam" | "deleteTeam">;

/** The content of a team, which a request can change. */
type TeamContent = Pick<TeamDocument, "name" | "projectIds" | "userIds">;

const everyField: ReadonlySet<string> = new Set(["name", "projectIds", "userIds"]);

/**
 * Implements the RPCs of teams. An administrator of the organization may name any of its projects and users, whether they are in reach or
 * not.
 */
export function teamMethods({ identities, administer, pageTokens, now }: Dependencies): TeamMethods {
  return {
    async listTeams(request, context) {
      const { organizationId } = getCaller(context);
      const { items, ...next } = await readPage(pageTokens, request, {
        query: { list: "teams", organizationId },
        find: (limit, after) => identities.listTeams(organizationId, { limit, after }),
      });
      return create(ListTeamsResponseSchema, { teams: items.map(teamMessage), ...next });
    },
    createTeam,
    updateTeam,
    async deleteTeam({ teamId }, context) {
      return administer(async (records) => {
        const team = await teamOnPath(records, getCaller(context).organizationId, teamId);
        await records.removeTeam(team);
        const { name, projectIds, userIds } = team;
        await records.append(changeEntry(context, now(), teamId, { name, projectIds, userIds }));
        return create(DeleteTeamResponseSchema);
      });
    },
  };

  async function createTeam(request: CreateTeamRequest, context: HandlerContext): Promise<Team> {
    const { organizationId } = getCaller(context);
    const violations = contentViolations(request, everyField);
    if (violations.length > 0) throw invalid(violations);
    const at = now();
    const content = toContent(request);
    const team = { _id: newId("team"), organizationId, ...content, createdAt: at, updatedAt: at };
    return administer(async (records) => {
      await requireKnown(records, organizationId, request, everyField);
      await records.insertTeam(team);
      await records.append(changeEntry(context, at, team._id, { ...content }));
      return teamMessage(team);
    });
  }

  async function updateTeam(request: UpdateTeamRequest, context: HandlerContext): Promise<Team> {
    const { organizationId } = getCaller(context);
    return administer(async (records) => {
      const team = await teamOnPath(records, organizationId, request.teamId);
      const { fields, violations } = changedFields(request.updateMask?.paths, populatedFields(request), {
        name: "name",
        project_ids: "projectIds",
        user_ids: "userIds",
      });
      const allViolations = [...violations, ...contentViolations(request, fields)];
      if (allViolations.length > 0) throw invalid(allViolations);
      await requireKnown(records, organizationId, request, fields);
      const content = toContent(request);
      const next = {
        ...team,
        ...(fields.has("name") ? { name: content.name } : {}),
        ...(fields.has("projectIds") ? { projectIds: content.projectIds } : {}),
        ...(fields.has("userIds") ? { userIds: content.userIds } : {}),
        updatedAt: now(),
      };
      const changes = {
        ...fieldChange("name", team.name, next.name),
        ...fieldChange("projectIds", team.projectIds, next.projectIds),
        ...fieldChange("userIds", team.userIds, next.userIds),
      };
      if (Object.keys(changes).length === 0) return teamMessage(team);
      await records.replaceTeam(next);
      await records.append(changeEntry(context, next.updatedAt, team._id, changes));
      return teamMessage(next);
    });
  }
}

async function teamOnPath(records: AdministrationRecords, organizationId: string, id: string): Promise<TeamDocument> {
  if (id === "") throw invalid([{ field: "teamId", message: "is required" }]);
  const team = await records.team(id);
  if (team === null || team.organizationId !== organizationId) throw notFound("team", id, "teamId");
  return team;
}

function toContent({ name, projectIds, userIds }: Readonly<TeamContent>): TeamContent {
  return { name: name.trim(), projectIds: [...new Set(projectIds)], userIds: [...new Set(userIds)] };
}

function contentViolations({ name, projectIds, userIds }: TeamContent, fields: ReadonlySet<string>): Violation[] {
  return [
    ...(fields.has("name") ? validateName("name", name) : []),
    ...(fields.has("projectIds") ? validateIdList("projectIds", projectIds) : []),
    ...(fields.has("userIds") ? validateIdList("userIds", userIds) : []),
  ];
}

function populatedFields({ name, projectIds, userIds }: TeamContent): string[] {
  return [
    ...(name === "" ? [] : ["name"]),
    ...(projectIds.length === 0 ? [] : ["projectIds"]),
    ...(userIds.length === 0 ? [] : ["userIds"]),
  ];
}

async function requireKnown(
  records: AdministrationRecords,
  organizationId: string,
  { projectIds, userIds }: TeamContent,
  fields: ReadonlySet<string>,
): Promise<void> {
  if (fields.has("projectIds")) {
    const projects = await records.lockProjects(organizationId, projectIds);
    const unknown = projectIds.findIndex((id) => !projects.has(id));
    if (unknown >= 0) throw notFound("project", projectIds[unknown] ?? "", `projectIds[${unknown}]`);
  }
  if (fields.has("userIds")) {
    const users = await records.knownUsers(organizationId, userIds);
    const unknown = userIds.findIndex((id) => !users.has(id));
    if (unknown >= 0) throw notFound("user", userIds[unknown] ?? "", `userIds[${unknown}]`);
  }
}
