import type { CallOptions, Client } from "@connectrpc/connect";
import type { Caller, IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { forbidden, invalid, notFound } from "@switchyard/rpc";
import { canReachProject } from "./reach.ts";

/**
 * Throws unless the caller reaches the project that a request names as `projectId`: InvalidArgument for none, NotFound for one that does
 * not exist or belongs to another organization, PermissionDenied for one of their own that is out of reach (api.md 7).
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
  throw known ? projectOutOfReach() : notFound("project", projectId, "projectId");
}

/** Throws PermissionDenied unless the caller reaches the project of something that they named. */
export function requireReach(caller: Caller, projectId: string): void {
  if (!canReachProject(caller, projectId)) throw projectOutOfReach();
}

function projectOutOfReach(): Error {
  return forbidden("PROJECT_OUT_OF_REACH", "The project is not in the reach of the token.");
}
