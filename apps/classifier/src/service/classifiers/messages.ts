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
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import type { Targets } from "../routes/targets.ts";

/** A project by id and name. */
export interface NamedProject {
  id: string;
  name: string;
}

/** The fields that every view of a route has. A target that is gone shows its last known name. */
function routeFields(route: RouteDocument, targets: Targets) {
  const { model, deployment, deletedModelName = "", deletedDeploymentName = "" } = targets.of(route) ?? {};
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
            status: targetStatus(deployment?.status),
          },
        }),
  };
}

/** The name of a route's target: the deployment's where it has one, else the model's; the last known one of a target that is gone. */
export function getTargetName(route: RouteDocument, targets: Targets): string {
  const { model, targetDeployment } = routeFields(route, targets);
  return targetDeployment?.name ?? model.name;
}

function targetStatus(status: ModelStatus | undefined): RouteTargetStatus {
  if (status === undefined) return RouteTargetStatus.DELETED;
  return status === ModelStatus.PAUSED ? RouteTargetStatus.PAUSED : RouteTargetStatus.ACTIVE;
}

/** A route with exactly the keys of the specification. */
function routeMessage(route: RouteDocument, targets: Targets): Route {
  return create(RouteSchema, routeFields(route, targets));
}

/** A route with all that was said of it. */
export function routeDetailMessage(route: RouteDocument, targets: Targets, examples: readonly string[]): RouteDetail {
  return create(RouteDetailSchema, {
    ...routeFields(route, targets),
    examples: [...examples],
    ...(route.minConfidence === null ? {} : { minConfidence: route.minConfidence }),
    enabled: route.enabled,
  });
}

function classifierFields(classifier: ClassifierDocument, targets: Targets, ownProject: NamedProject | undefined) {
  const routes = classifier.routes.map((route) => routeMessage(route, targets));
  const reached = new Map<string, NamedProject>();
  // A project classifier reports its own project, also with no route; a global one those of its routes, by their first route.
  if (classifier.projectId !== null && ownProject !== undefined)
    reached.set(ownProject.id, { id: ownProject.id, name: ownProject.name });
  for (const { model } of routes) {
    if (model?.project !== undefined && !reached.has(model.project.id))
      reached.set(model.project.id, { id: model.project.id, name: model.project.name });
  }
  return {
    id: classifier._id,
    name: classifier.name,
    ...(classifier.projectId === null ? {} : { projectId: classifier.projectId }),
    isGlobal: classifier.projectId === null,
    routeProjects: [...reached.values()],
    routes,
    classificationCount: classifier.classificationCount,
    createdAt: timestampFromDate(classifier.createdAt),
    updatedAt: timestampFromDate(classifier.updatedAt),
  };
}

/** A classifier as lists show it; `ownProject` is the project of a project classifier. */
export function classifierMessage(
  classifier: ClassifierDocument,
  targets: Targets,
  ownProject: NamedProject | undefined,
): Classifier {
  return create(ClassifierSchema, classifierFields(classifier, targets, ownProject));
}

/** A classifier with its settings and the routes that are out. */
export function classifierDetailMessage(
  classifier: ClassifierDocument,
  targets: Targets,
  ownProject: NamedProject | undefined,
  excludedRoutes: readonly Pick<ExcludedRoute, "routeId" | "reason">[],
): ClassifierDetail {
  const { engine, minConfidence, minMargin, pages } = classifier.settings;
  return create(ClassifierDetailSchema, {
    ...classifierFields(classifier, targets, ownProject),
    description: classifier.description,
    settings: {
      engine,
      ...(minConfidence === null ? {} : { minConfidence }),
      ...(minMargin === null ? {} : { minMargin }),
      ...(pages === null ? {} : { pages }),
    },
    organizationId: classifier.organizationId,
    createdBy: classifier.createdBy,
    candidateRoutes: classifier.routes.length - excludedRoutes.length,
    excludedRoutes: excludedRoutes.map(({ routeId, reason }) => ({ routeId, reason })),
  });
}
