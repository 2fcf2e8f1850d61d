import type { CallOptions, Client } from "@connectrpc/connect";
import type { Caller, IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { forbidden, invalid, notFound } from "@switchyard/rpc";
import { canReachProject } from "./reach.ts";

/**
 * Throws unless the caller has access to the project that a request names in `projectId`: InvalidArgument if the field is empty,
 * NotFound if the project does not exist or belongs to another organization, and PermissionDenied if it is out of reach.
 */
export async function assertProjectReach(
  projects: Client<typeof IdentityLookupService>,
  caller: Caller,
  projectId: string,
  options: CallOptions,
): Promise<void> {
  if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
  if (canReachProject(caller, projectId)) return;
  const found = await projects.resolveProjects({ projectIds: [projectId] }, options);
  const known = found.projects.some(
    ({ id, organizationId }) => id === projectId && organizationId === caller.organizationId,
  );
  if (!known) throw notFound("project", projectId, "projectId");
  requireReach(caller, projectId);
}

/** Throws PermissionDenied unless the caller has access to the project. */
export function requireReach(caller: Caller, projectId: string): void {
  if (!canReachProject(caller, projectId)) throw projectOutOfReach();
}

/** Returns the PermissionDenied error for a project that the token has no access to. */
export function projectOutOfReach(): Error {
  return forbidden("PROJECT_OUT_OF_REACH", "The token has no access to the project.");
}
