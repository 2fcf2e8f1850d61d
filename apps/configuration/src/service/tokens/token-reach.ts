import type { TokenDocument } from "../../store/identity-documents.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * The projects that a token reaches now: of an organization token those that its teams grant to its user, of a project token its
 * own. Undefined when a project token's project is gone.
 */
export async function projectsInReach(
  { identities }: Pick<Dependencies, "identities">,
  token: TokenDocument,
): Promise<string[] | undefined> {
  if (token.scope === "ORGANIZATION") {
    return identities.grantedProjectIds(token.organizationId, token.userId, token.teamIds);
  }
  const project = token.projectId === null ? null : await identities.project(token.projectId);
  return project?.organizationId === token.organizationId ? [project._id] : undefined;
}
