import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { hasPermission } from "./permissions.ts";

/**
 * The properties of a classifier that decide who may use it. `projectId` is null for a global classifier, whose routes lead to
 * `routeProjectIds`.
 */
export interface ClassifierReach {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly routeProjectIds: readonly string[];
}

/** The properties of a classification that decide who may read it: the token that created it, and the project of its route, if any. */
export interface ClassificationReach {
  readonly tokenId: string;
  readonly projectId: string | null;
}

/** Whether a project is in the caller's reach: it is the project of a project token, or is granted to a team of the token. */
export function canReachProject(caller: Caller, projectId: string): boolean {
  return caller.projectIds.includes(projectId);
}

/**
 * Whether the caller may classify with a classifier (specification, section 5). A project classifier requires that its project is in reach,
 * and a global one that a project of its routes is.
 */
export function canUseClassifier(caller: Caller, classifier: ClassifierReach): boolean {
  if (caller.organizationId !== classifier.organizationId) return false;
  if (classifier.projectId !== null) return canReachProject(caller, classifier.projectId);
  return classifier.routeProjectIds.some((projectId) => canReachProject(caller, projectId));
}

/**
 * Whether the caller may change a classifier, apart from the permission of the method. A project classifier requires that its project is in
 * reach, and a global one an organization token with the organization-level permission.
 */
export function canAdministerClassifier(caller: Caller, classifier: ClassifierReach): boolean {
  if (caller.organizationId !== classifier.organizationId) return false;
  if (classifier.projectId !== null) return canReachProject(caller, classifier.projectId);
  return editsOrganization(caller);
}

/** Whether the caller may see a classifier: if it may use it, or administer a global one. */
export function canReadClassifier(caller: Caller, classifier: ClassifierReach): boolean {
  return canUseClassifier(caller, classifier) || canAdministerClassifier(caller, classifier);
}

/**
 * Returns which classifications of the organization the caller may read: all of them with the organization-level permission to edit models,
 * and otherwise those that the token created and those in projects in reach.
 */
export function getReadableClassifications(caller: Caller): "all" | { tokenId: string; projectIds: readonly string[] } {
  return editsOrganization(caller) ? "all" : { tokenId: caller.tokenId, projectIds: caller.projectIds };
}

/** Whether the caller may read a classification. */
export function canReadClassification(caller: Caller, record: ClassificationReach, organizationId: string): boolean {
  if (caller.organizationId !== organizationId) return false;
  const readable = getReadableClassifications(caller);
  if (readable === "all" || readable.tokenId === record.tokenId) return true;
  return record.projectId !== null && readable.projectIds.includes(record.projectId);
}

function editsOrganization(caller: Caller): boolean {
  return caller.scope === TokenScope.ORGANIZATION && hasPermission(caller, Permission.ORGANIZATION_MODELS_EDIT);
}
