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
import type { ClassifierConfiguration, ClassifierDocument } from "../store/classifier-document.ts";
import type { Dependencies } from "./dependencies.ts";

/** Returns the fields of a classifier that the access rules depend on. */
function toReach(classifier: ClassifierConfiguration): ClassifierReach {
  const { organizationId, projectId, routeProjectIds } = classifier;
  return { organizationId, projectId, routeProjectIds };
}

/** Finds a classifier of the caller's organization. Throws NOT_FOUND if there is none with this ID. */
export async function findClassifier(
  { classifiers }: Pick<Dependencies, "classifiers">,
  classifierId: string,
  context: HandlerContext,
): Promise<ClassifierDocument> {
  return requireOwn(await classifiers.find(classifierId), classifierId, context);
}

/** Like `findClassifier`, but without the count, which classifications do not need. */
export async function findConfiguration(
  { classifiers }: Pick<Dependencies, "classifiers">,
  classifierId: string,
  context: HandlerContext,
): Promise<ClassifierConfiguration> {
  return requireOwn(await classifiers.findConfiguration(classifierId), classifierId, context);
}

function requireOwn<Classifier extends ClassifierConfiguration>(
  classifier: Classifier | undefined,
  classifierId: string,
  context: HandlerContext,
): Classifier {
  if (classifier === undefined || classifier.organizationId !== getCaller(context).organizationId) {
    throw notFound("classifier", classifierId, "classifierId");
  }
  return classifier;
}

/** Throws PERMISSION_DENIED if the caller may not classify with the classifier. */
export function assertUsable(classifier: ClassifierConfiguration, context: HandlerContext): void {
  if (!canUseClassifier(getCaller(context), toReach(classifier))) throw outOfReach(classifier);
}

/** Like `findClassifier`, but also throws PERMISSION_DENIED if the caller may neither use nor administer the classifier. */
export async function findReadableClassifier(
  dependencies: Pick<Dependencies, "classifiers">,
  classifierId: string,
  context: HandlerContext,
): Promise<ClassifierDocument> {
  const classifier = await findClassifier(dependencies, classifierId, context);
  assertReadable(classifier, context);
  return classifier;
}

/** Like `findReadableClassifier`, but without the count. */
export async function findReadableConfiguration(
  dependencies: Pick<Dependencies, "classifiers">,
  classifierId: string,
  context: HandlerContext,
): Promise<ClassifierConfiguration> {
  const classifier = await findConfiguration(dependencies, classifierId, context);
  assertReadable(classifier, context);
  return classifier;
}

/** Throws PERMISSION_DENIED if the caller may neither use nor administer the classifier. */
export function assertReadable(classifier: ClassifierConfiguration, context: HandlerContext): void {
  if (!canReadClassifier(getCaller(context), toReach(classifier))) throw outOfReach(classifier);
}

function outOfReach({ projectId }: ClassifierConfiguration) {
  return forbidden(
    "CLASSIFIER_OUT_OF_REACH",
    projectId === null
      ? "The token has no access to any of the projects that this classifier routes to."
      : "The token has no access to the project of this classifier.",
  );
}

/** Throws PERMISSION_DENIED if the caller may not administer the classifier. The reason depends on the scopes of both. */
export function assertAdministrable(classifier: ClassifierConfiguration, context: HandlerContext): void {
  const caller = getCaller(context);
  if (canAdministerClassifier(caller, toReach(classifier))) return;
  if (classifier.projectId !== null) throw outOfReach(classifier);
  throw caller.scope === TokenScope.PROJECT
    ? forbidden("GLOBAL_CLASSIFIER", "A project-scoped token cannot administer a global classifier.")
    : forbidden(
        "MISSING_PERMISSION",
        "Administering a global classifier requires the permission organization:models:edit.",
      );
}

/** Finds a project of the caller's organization. Throws NOT_FOUND if there is none, and PERMISSION_DENIED if the caller cannot reach it. */
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
