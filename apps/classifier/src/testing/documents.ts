import { newId } from "@switchyard/storage";
import { targetKeyOf } from "../store/classifier-document.ts";
import type { ClassifierDocument, RouteDocument } from "../store/classifier-document.ts";

/** When they were made. */
export const at = new Date("2026-01-02T03:04:05.006Z");

/** A route of a test. */
export function route(modelId: string, deploymentId: string | null = null, projectId = "prj_a"): RouteDocument {
  return {
    id: newId("rte"),
    name: modelId,
    description: "",
    modelId,
    deploymentId,
    targetKey: targetKeyOf(modelId, deploymentId),
    projectId,
    lastKnown: { modelName: modelId, deploymentName: deploymentId, projectName: projectId },
    minConfidence: null,
    enabled: true,
    createdAt: at,
  };
}

/** A project classifier of a test, of the organization org_a. */
export function classifier(name: string, projectId = "prj_a", routes: RouteDocument[] = []): ClassifierDocument {
  return {
    _id: newId("clf"),
    organizationId: "org_a",
    projectId,
    name,
    description: "",
    settings: { engine: "local", minConfidence: null, minMargin: null, pages: null },
    routes,
    routeCount: routes.length,
    routeProjectIds: [...new Set(routes.map((one) => one.projectId))],
    classificationCount: 0,
    createdAt: at,
    updatedAt: at,
    createdBy: "usr_a",
  };
}
