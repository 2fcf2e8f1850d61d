import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { forbidden, invalid, notFound } from "@switchyard/rpc";
import { canSeeToken } from "../../domain/tokens/minting.ts";
import type { TokenAdministrator } from "../../domain/tokens/minting.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import type { TeamDocument, TokenDocument } from "../../store/identity-documents.ts";

/** The projects of teams by the id of the team. */
export type ProjectsOfTeam = ReadonlyMap<string, readonly string[]>;

/** Groups the projects of teams by the id of the team. */
export function projectsByTeam(teams: readonly TeamDocument[]): ProjectsOfTeam {
  return new Map(teams.map((team) => [team._id, team.projectIds]));
}

/**
 * Finds the token of the path, with the projects of its teams. Throws NotFound if it does not exist or belongs to another organization, and
 * PermissionDenied if it reaches further than the caller, unless it is the caller's own.
 */
export async function findVisibleToken(
  records: Pick<AdministrationRecords, "token" | "teams">,
  caller: Caller,
  administrator: TokenAdministrator,
  id: string,
): Promise<{ token: TokenDocument; projectsOfTeam: ProjectsOfTeam }> {
  if (id === "") throw invalid([{ field: "tokenId", message: "is required" }]);
  const token = await records.token(id);
  if (token === null || token.organizationId !== caller.organizationId) throw notFound("token", id, "tokenId");
  const projectsOfTeam = projectsByTeam(await records.teams(token.organizationId, token.teamIds));
  if (token._id === caller.tokenId || canSeeToken(token, administrator, projectsOfTeam))
    return { token, projectsOfTeam };
  throw forbidden("TOKEN_OUT_OF_REACH", "The token has access to projects that the caller's token cannot access.");
}
