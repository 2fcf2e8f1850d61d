import type { HandlerContext } from "@connectrpc/connect";
import {
  getCaller,
  canAdministerClassifier,
  requireReach,
  canReadClassifier,
  canUseClassifier,
} from "@switchyard/access";
import type { ClassifierReach } from "@switchyard/access";
import type { Project } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { callOptions, forbidden, notFound } from "@switchyard/rpc";
import type { ClassifierDocument } from "../store/classifier-document.ts";
import type { Dependencies } from "./dependencies.ts";

/** What the access rules look at in a classifier. */
function toReach(classifier: ClassifierDocument): ClassifierReach {
  const { organizationId, projectId, routeProjectIds } = classifier;
  return { organizationId, projectId, routeProjectIds };
}

/** The classifier of the caller's organization with this id. NOT_FOUND when there is none. */
export async function findClassifier(
  { classifiers }: Pick<Dependencies, "classifiers">,
  classifierId: string,
  context: HandlerContext,
): Promise<ClassifierDocument> {
  const classifier = await classifiers.find(classifierId);
  if (classifier === undefined || classifier.organizationId !== getCaller(context).organizationId) {
    throw notFound("classifier", classifierId, "classifierId");
  }
  return classifier;
}

/** Refuses callers who may not classify with the classifier. */
export function assertUsable(classifier: ClassifierDocument, context: HandlerContext): void {
  if (!canUseClassifier(getCaller(context), toReach(classifier))) throw outOfReach(classifier);
}

/** Refuses callers who may neither use nor administer the classifier. */
export function assertReadable(classifier: ClassifierDocument, context: HandlerContext): void {
  if (!canReadClassifier(getCaller(context), toReach(classifier))) throw outOfReach(classifier);
}

function outOfReach({ projectId }: ClassifierDocument) {
  return forbidden(
    "CLASSIFIER_OUT_OF_REACH",
    projectId === null
      ? "No project that this classifier routes into is in the reach of this token."
      : "The project of this classifier is not in the reach of this token.",
  );
}

/** Refuses callers who may not administer the classifier: each scope has its own reason. */
export function assertAdministrable(classifier: ClassifierDocument, context: HandlerContext): void {
  const caller = getCaller(context);
  if (canAdministerClassifier(caller, toReach(classifier))) return;
  if (classifier.projectId !== null) throw outOfReach(classifier);
  throw caller.scope === TokenScope.PROJECT
    ? forbidden("GLOBAL_CLASSIFIER", "A project-scoped token never administers a global classifier.")
    : forbidden(
        "MISSING_PERMISSION",
        "Administering a global classifier needs the permission organization:models:edit.",
      );
}

/** The project of the caller's organization with this id. NOT_FOUND when there is none; PERMISSION_DENIED when out of reach. */
export async function findProject(
  { projects }: Pick<Dependencies, "projects">,
  projectId: string,
  context: HandlerContext,
): Promise<Project> {
  const caller = getCaller(context);
  const found = await projects.resolveProjects({ projectIds: [projectId] }, callOptions(context));
  const project = found.projects.find(({ id }) => id === projectId);
  if (project === undefined || project.organizationId !== caller.organizationId) {
    throw notFound("project", projectId, "projectId");
  }
  requireReach(caller, projectId);
  return project;
}
