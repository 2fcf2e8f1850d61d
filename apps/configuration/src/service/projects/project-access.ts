import { canReachProject } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { forbidden, invalid, notFound } from "@switchyard/rpc";
import type { ProjectDocument } from "../../store/identity-documents.ts";
import type { IdentityStore } from "../../store/identity-store.ts";

/** The project on the path. Throws NotFound for one of another organization or none, PermissionDenied for one out of reach. */
export async function projectOnPath(identities: IdentityStore, caller: Caller, id: string): Promise<ProjectDocument> {
  if (id === "") throw invalid([{ field: "projectId", message: "is required" }]);
  const project = await identities.project(id);
  if (project === null || project.organizationId !== caller.organizationId) {
    throw notFound("project", id, "projectId");
  }
  requireReach(caller, project._id);
  return project;
}

/** Throws PermissionDenied unless the project is in the caller's reach. */
export function requireReach(caller: Caller, projectId: string): void {
  if (canReachProject(caller, projectId)) return;
  throw forbidden("PROJECT_OUT_OF_REACH", "The token has no access to the project.");
}
