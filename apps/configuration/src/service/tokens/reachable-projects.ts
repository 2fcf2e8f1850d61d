import type { TokenDocument } from "../../store/identity-documents.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * Returns the projects that a token reaches now. An organization token reaches the projects that its teams grant to its user; a project
 * token reaches its own. Undefined if the project of a project token was deleted.
 */
export async function listReachableProjectIds(
  { identities }: Pick<Dependencies, "identities">,
  token: TokenDocument,
): Promise<string[] | undefined> {
  if (token.scope === "ORGANIZATION") {
    return identities.grantedProjectIds(token.organizationId, token.userId, token.teamIds);
  }
  const project = token.projectId === null ? null : await identities.project(token.projectId);
  return project?.organizationId === token.organizationId ? [project._id] : undefined;
}
