import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { hasPermission } from "./permissions.ts";

/** What decides who may use a classifier: `projectId` is null for a global one, whose routes lead into `routeProjectIds`. */
export interface ClassifierReach {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly routeProjectIds: readonly string[];
}

/** What decides who may read a classification: the token that made it, and the project where it landed, if any. */
export interface ClassificationReach {
  readonly tokenId: string;
  readonly projectId: string | null;
}

/** Whether a project is in the caller's reach: the project of a project token, or one granted to a team of the token. */
export function canReachProject(caller: Caller, projectId: string): boolean {
  return caller.projectIds.includes(projectId);
}

/**
 * Whether the caller may classify with a classifier (specification, section 5): a project classifier when its project is in
 * reach, a global one when a project of its routes is.
 */
export function canUseClassifier(caller: Caller, classifier: ClassifierReach): boolean {
  if (caller.organizationId !== classifier.organizationId) return false;
  if (classifier.projectId !== null) return canReachProject(caller, classifier.projectId);
  return classifier.routeProjectIds.some((projectId) => canReachProject(caller, projectId));
}

/**
 * Whether the caller may change a classifier, as far as the classifier goes (the method's permission is checked apart): a project
 * classifier when its project is in reach, a global one with an organization token that has the organization-level right.
 */
export function canAdministerClassifier(caller: Caller, classifier: ClassifierReach): boolean {
  if (caller.organizationId !== classifier.organizationId) return false;
  if (classifier.projectId !== null) return canReachProject(caller, classifier.projectId);
  return editsOrganization(caller);
}

/** Whether the caller may see a classifier: whoever may use it, and of a global one also whoever may administer it. */
export function canReadClassifier(caller: Caller, classifier: ClassifierReach): boolean {
  return canUseClassifier(caller, classifier) || canAdministerClassifier(caller, classifier);
}

/**
 * The classifications of the organization that the caller may read later (api.md 3): all of them with the organization-level model
 * editing right, else those that the token made and those that landed in a project in reach.
 */
export function readableClassifications(caller: Caller): "all" | { tokenId: string; projectIds: readonly string[] } {
  return editsOrganization(caller) ? "all" : { tokenId: caller.tokenId, projectIds: caller.projectIds };
}

/** Whether a classification is among those that the caller may read. */
export function canReadClassification(caller: Caller, record: ClassificationReach, organizationId: string): boolean {
  if (caller.organizationId !== organizationId) return false;
  const readable = readableClassifications(caller);
  if (readable === "all" || readable.tokenId === record.tokenId) return true;
  return record.projectId !== null && readable.projectIds.includes(record.projectId);
}

function editsOrganization(caller: Caller): boolean {
  return caller.scope === TokenScope.ORGANIZATION && hasPermission(caller, Permission.ORGANIZATION_MODELS_EDIT);
}
