import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ClassifierDetailSchema,
  ClassifierSchema,
  RouteDetailSchema,
  RouteSchema,
  RouteTargetStatus,
  RouteTargetType,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type {
  Classifier,
  ClassifierDetail,
  ExcludedRoute,
  Route,
  RouteDetail,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Settings } from "../../domain/administration/classifier-input.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import type { Targets } from "../routes/targets.ts";

/** A project with its ID and name. */
export interface NamedProject {
  id: string;
  name: string;
}

/** Returns the fields that all messages of a route have. A deleted target has its last known name. */
function toRouteFields(route: RouteDocument, targets: Targets) {
  const { model, deployment, deletedModelName = "", deletedDeploymentName = "" } = targets.get(route) ?? {};
  const project = { id: route.projectId, name: model?.projectName ?? route.lastKnown.projectName };
  return {
    id: route.id,
    name: route.name,
    description: route.description,
    modelId: route.modelId,
    model: {
      id: route.modelId,
      name: model?.name ?? (deletedModelName || route.lastKnown.modelName),
      type: RouteTargetType.MODEL,
      projectId: route.projectId,
      project,
    },
    ...(route.deploymentId === null
      ? {}
      : {
          targetDeploymentId: route.deploymentId,
          targetDeployment: {
            id: route.deploymentId,
            name: deployment?.name ?? (deletedDeploymentName || (route.lastKnown.deploymentName ?? "")),
            status: toTargetStatus(deployment?.status),
          },
        }),
  };
}

/** Returns the name of a route's target: of its deployment, or of its model if it has none. A deleted target has its last known name. */
export function getTargetName(route: RouteDocument, targets: Targets): string {
  const { model, targetDeployment } = toRouteFields(route, targets);
  return targetDeployment?.name ?? model.name;
}

function toTargetStatus(status: ModelStatus | undefined): RouteTargetStatus {
  if (status === undefined) return RouteTargetStatus.DELETED;
  return status === ModelStatus.PAUSED ? RouteTargetStatus.PAUSED : RouteTargetStatus.ACTIVE;
}

/** Returns the message of a route with exactly the fields of the specification. */
function toRouteMessage(route: RouteDocument, targets: Targets): Route {
  return create(RouteSchema, toRouteFields(route, targets));
}

/** Returns the message of a route with all its fields. */
export function toRouteDetailMessage(route: RouteDocument, targets: Targets, examples: readonly string[]): RouteDetail {
  return create(RouteDetailSchema, {
    ...toRouteFields(route, targets),
    examples: [...examples],
    ...(route.minConfidence === null ? {} : { minConfidence: route.minConfidence }),
    enabled: route.enabled,
  });
}

function toClassifierFields(classifier: ClassifierDocument, targets: Targets, ownProject: NamedProject | undefined) {
  const routes = classifier.routes.map((route) => toRouteMessage(route, targets));
  const projects = new Map<string, NamedProject>();
  // A project classifier has its own project, even without routes. A global one has the projects of its routes, in order of first use.
  if (classifier.projectId !== null && ownProject !== undefined)
    projects.set(ownProject.id, { id: ownProject.id, name: ownProject.name });
  for (const { model } of routes) {
    if (model?.project !== undefined && !projects.has(model.project.id))
      projects.set(model.project.id, { id: model.project.id, name: model.project.name });
  }
  return {
    id: classifier._id,
    name: classifier.name,
    ...(classifier.projectId === null ? {} : { projectId: classifier.projectId }),
    isGlobal: classifier.projectId === null,
    routeProjects: [...projects.values()],
    routes,
    classificationCount: classifier.classificationCount,
    createdAt: timestampFromDate(classifier.createdAt),
    updatedAt: timestampFromDate(classifier.updatedAt),
  };
}

/** Returns the message of a classifier as lists contain it. `ownProject` is the project of a project classifier. */
export function toClassifierMessage(
  classifier: ClassifierDocument,
  targets: Targets,
  ownProject: NamedProject | undefined,
): Classifier {
  return create(ClassifierSchema, toClassifierFields(classifier, targets, ownProject));
}

function toSecondOpinion({ engine, modelName }: NonNullable<Settings["secondOpinion"]>) {
  return { engine, ...(modelName === null ? {} : { modelName }) };
}

/** Returns the message of a classifier with its settings and its excluded routes. */
export function toClassifierDetailMessage(
  classifier: ClassifierDocument,
  targets: Targets,
  ownProject: NamedProject | undefined,
  excludedRoutes: readonly Pick<ExcludedRoute, "routeId" | "reason">[],
): ClassifierDetail {
  const { engine, minConfidence, minMargin, pages, modelName = null, secondOpinion = null } = classifier.settings;
  return create(ClassifierDetailSchema, {
    ...toClassifierFields(classifier, targets, ownProject),
    description: classifier.description,
    settings: {
      engine,
      ...(minConfidence === null ? {} : { minConfidence }),
      ...(minMargin === null ? {} : { minMargin }),
      ...(pages === null ? {} : { pages }),
      ...(modelName === null ? {} : { modelName }),
      ...(secondOpinion === null ? {} : { secondOpinion: toSecondOpinion(secondOpinion) }),
    },
    organizationId: classifier.organizationId,
    createdBy: classifier.createdBy,
    candidateRoutes: classifier.routes.length - excludedRoutes.length,
    excludedRoutes: excludedRoutes.map(({ routeId, reason }) => ({ routeId, reason })),
    routeWins: classifier.routes.map(({ id }) => ({ routeId: id, count: classifier.wins?.[id] ?? 0 })),
  });
}
