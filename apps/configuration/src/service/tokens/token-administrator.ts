import { hasPermission, toPermission } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { unauthenticated } from "@switchyard/rpc";
import type { TokenAdministrator } from "../../domain/tokens/minting.ts";
import { getTokenState } from "../../domain/tokens/token-state.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import { callerMessage } from "../../store/identity-messages.ts";

/** Returns the rights of a caller to administer tokens. */
export function toTokenAdministrator(caller: Caller): TokenAdministrator {
  return {
    scope: caller.scope === TokenScope.ORGANIZATION ? "ORGANIZATION" : "PROJECT",
    isOrganizationAdministrator: hasPermission(caller, Permission.ORGANIZATION_ADMIN),
    projectIds: caller.projectIds,
    hasPermission(name) {
      const permission = toPermission(name);
      return permission !== undefined && hasPermission(caller, permission);
    },
  };
}

/**
 * Like `toTokenAdministrator`, with the rights that are stored now. A caller is cached for a second, and a token that was revoked in that
 * second must not issue another, nor pass on a lost grant. Throws Unauthenticated if the token is no longer valid.
 */
export async function loadTokenAdministrator(
  records: AdministrationRecords,
  { tokenId }: Caller,
  now: Date,
): Promise<TokenAdministrator> {
  const token = await records.token(tokenId);
  if (token === null || getTokenState(token, now) !== "ACTIVE") {
    throw unauthenticated("TOKEN_INVALID", "The token is not valid.");
  }
  if (token.projectId !== null) return toTokenAdministrator(callerMessage(token, [token.projectId]));
  const teams = await records.teams(token.organizationId, token.teamIds);
  const granting = teams.filter(({ userIds }) => userIds.includes(token.userId));
  return toTokenAdministrator(callerMessage(token, [...new Set(granting.flatMap(({ projectIds }) => projectIds))]));
}
