import { requireReach } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, notFound } from "@switchyard/rpc";
import type { ProjectDocument } from "../../store/identity-documents.ts";
import type { IdentityStore } from "../../store/identity-store.ts";

/** Returns the project on the path. Throws NotFound if the organization has no such project, PermissionDenied if it is out of reach. */
export async function projectOnPath(identities: IdentityStore, caller: Caller, id: string): Promise<ProjectDocument> {
  if (id === "") throw invalid([{ field: "projectId", message: "is required" }]);
  const project = await identities.project(id);
  if (project === null || project.organizationId !== caller.organizationId) {
    throw notFound("project", id, "projectId");
  }
  requireReach(caller, project._id);
  return project;
}
