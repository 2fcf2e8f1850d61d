import { createAuditOutbox } from "@switchyard/change-feed";
import type { AuditOutbox } from "@switchyard/change-feed";
import { newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { deriveFields, getTargetKey } from "../store/classifier-document.ts";
import type { ClassifierDocument, RouteDocument } from "../store/classifier-document.ts";
import type { ChangeResult, ChangeDecision } from "../store/classifier-writer.ts";
import type { ClassifierStore } from "../store/classifiers.ts";
import { appendRoute } from "../domain/administration/route-list.ts";

/** The creation time of all documents. */
export const at = new Date("2026-01-02T03:04:05.006Z");

/** Creates a route. */
export function route(modelId: string, deploymentId: string | null = null, projectId = "prj_a"): RouteDocument {
  return {
    id: newId("rte"),
    name: modelId,
    description: "",
    modelId,
    deploymentId,
    targetKey: getTargetKey(modelId, deploymentId),
    projectId,
    lastKnown: { modelName: modelId, deploymentName: deploymentId, projectName: projectId },
    minConfidence: null,
    enabled: true,
    createdAt: at,
  };
}

/** Creates a project classifier of the organization org_a. */
export function classifier(name: string, projectId = "prj_a", routes: RouteDocument[] = []): ClassifierDocument {
  return {
    _id: newId("clf"),
    organizationId: "org_a",
    projectId,
    name,
    description: "",
    settings: {
      ...{ engine: "local", modelName: null, secondOpinion: null },
      ...{ minConfidence: null, minMargin: null, pages: null },
    },
    routes,
    ...deriveFields({ projectId, routes }),
    classificationCount: 0,
    createdAt: at,
    updatedAt: at,
    createdBy: "usr_a",
  };
}

/** Adds a route as the service does, depending on the list at the time of the write. */
export async function addRoute(
  store: Pick<ClassifierStore, "change">,
  classifierId: string,
  added: RouteDocument,
  examples: readonly string[] = [],
): Promise<ChangeResult<string>> {
  return store.change(classifierId, at, ({ routes }): ChangeDecision<string> => {
    const list = appendRoute(routes, added);
    return list.kind === "routes"
      ? { action: "change", changes: { routes: list.routes }, examples: new Map([[added.id, examples]]) }
      : { action: "refuse", refusal: list.kind };
  });
}

/** Makes a classifier global. */
export async function makeGlobal(
  store: Pick<ClassifierStore, "change">,
  classifierId: string,
): Promise<ChangeResult<never>> {
  return store.change<never>(classifierId, at, () => ({ action: "change", changes: { projectId: null } }));
}

/** Creates an outbox that is never started, so that it keeps its entries. Call it before `storage.ready()`. */
export function createIdleOutbox({ connection }: Pick<Storage, "connection">): AuditOutbox {
  const trail = { recordChanges: () => Promise.reject(new Error("nothing is sent")) };
  return createAuditOutbox({
    connection,
    trail,
    service: "classifier",
    onError: () => undefined,
    onRefused: () => undefined,
  });
}
