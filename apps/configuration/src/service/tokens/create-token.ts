import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  getCaller,
  grantablePermissions,
  mintTokenSecret,
  organizationPermissions,
  permissionName,
  projectOutOfReach,
} from "@switchyard/access";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { CreateTokenRequest, IssuedToken } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { forbidden, invalid, notFound } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { findMissingRight, validateToken } from "../../domain/tokens/minting.ts";
import type { MissingRight, Scope, TokenAdministrator, TokenRequest } from "../../domain/tokens/minting.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import type { TokenDocument } from "../../store/identity-documents.ts";
import { issuedTokenMessage } from "../../store/identity-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { projectsByTeam } from "./token-access.ts";
import { loadTokenAdministrator } from "./token-administrator.ts";

const permissionNames = {
  all: grantablePermissions.map(permissionName),
  organization: organizationPermissions.map(permissionName),
};

/** Issues a token that does not exceed the rights of the caller. */
export async function createToken(
  { administer, digests, now }: Dependencies,
  request: CreateTokenRequest,
  context: HandlerContext,
): Promise<IssuedToken> {
  const caller = getCaller(context);
  const at = now();
  const scope = toScope(request.scope);
  const expiresAt = request.expiresAt === undefined ? undefined : timestampDate(request.expiresAt);
  const wanted: TokenRequest = { ...request, scope, projectId: request.projectId, expiresAt };
  const violations = validateToken(wanted, permissionNames, at);
  if (scope === undefined || violations.length > 0) throw invalid(violations);
  const secret = mintTokenSecret(scope);
  const token: TokenDocument = {
    _id: newId("tok"),
    organizationId: caller.organizationId,
    name: request.name.trim(),
    scope,
    projectId: request.projectId ?? null,
    teamIds: [...new Set(request.teamIds)],
    permissions: permissionNames.all.filter((name) => request.permissions.includes(name)),
    userId: request.userId ?? caller.userId,
    createdBy: caller.userId,
    digest: digests.digest(secret),
    kid: digests.kid,
    prefix: secret.slice(0, 8),
    createdAt: at,
    expiresAt: expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  return administer(async (records) => {
    const administrator = await loadTokenAdministrator(records, caller, at);
    await requireGrantable(records, administrator, token);
    await requireUser(records, administrator, caller, token.userId);
    await records.insertToken(token);
    const { name, projectId, teamIds, permissions, userId } = token;
    const expiry = expiresAt?.toISOString() ?? null;
    const changes = { name, scope, projectId, teamIds, permissions, expiresAt: expiry, userId };
    await records.append(changeEntry(context, at, token._id, changes));
    return issuedTokenMessage(token, secret, at);
  });
}

/** Throws PermissionDenied if a token exceeds the rights of the caller, with a message that names the missing right. */
export function assertNoMissingRight(missing: MissingRight | undefined): void {
  switch (missing?.kind) {
    case undefined:
      return;
    case "scope":
      throw forbidden("SCOPE_NOT_HELD", "A project-scoped token can only issue project-scoped tokens.");
    case "permission": {
      const { permission } = missing;
      throw forbidden("PERMISSION_NOT_HELD", `The token itself lacks the permission ${permission}.`, { permission });
    }
    case "project":
      throw projectOutOfReach();
    case "team":
      throw forbidden("TEAM_OUT_OF_REACH", "The team grants access to projects that the token cannot access.", {
        teamId: missing.teamId,
      });
  }
}

/**
 * Throws PermissionDenied if a token belongs to another user than the caller, unless the caller administers the organization. Whoever holds
 * its secret acts as that user.
 */
export function assertUserInReach(
  { isOrganizationAdministrator }: TokenAdministrator,
  caller: Pick<Caller, "userId">,
  userId: string,
): void {
  if (userId === caller.userId || isOrganizationAdministrator) return;
  throw forbidden("USER_OUT_OF_REACH", "Issuing or rotating tokens of other users requires organization:admin.");
}

async function requireGrantable(
  records: AdministrationRecords,
  administrator: TokenAdministrator,
  token: TokenDocument,
): Promise<void> {
  const { organizationId, projectId, teamIds } = token;
  const teams = await records.teams(organizationId, teamIds);
  const projectsOfTeam = projectsByTeam(teams);
  const missing = findMissingRight(token, administrator, projectsOfTeam);
  if (missing?.kind === "scope" || missing?.kind === "permission") assertNoMissingRight(missing);
  if (projectId !== null && !(await records.lockProjects(organizationId, [projectId])).has(projectId)) {
    throw notFound("project", projectId, "projectId");
  }
  const unknown = teamIds.findIndex((id) => !projectsOfTeam.has(id));
  const firstForbidden = missing?.kind === "team" ? teamIds.indexOf(missing.teamId) : teamIds.length;
  if (unknown >= 0 && unknown < firstForbidden) throw notFound("team", teamIds[unknown] ?? "", `teamIds[${unknown}]`);
  assertNoMissingRight(missing);
}

async function requireUser(
  records: AdministrationRecords,
  administrator: TokenAdministrator,
  caller: Caller,
  userId: string,
): Promise<void> {
  if (userId === caller.userId) return;
  const user = await records.user(userId);
  if (user?.organizationId !== caller.organizationId) throw notFound("user", userId, "userId");
  assertUserInReach(administrator, caller, userId);
}

function toScope(scope: TokenScope): Scope | undefined {
  if (scope === TokenScope.ORGANIZATION) return "ORGANIZATION";
  return scope === TokenScope.PROJECT ? "PROJECT" : undefined;
}
