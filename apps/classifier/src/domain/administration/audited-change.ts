import { fieldChange } from "@switchyard/text";
import type { Json } from "@switchyard/text";
import type { Settings } from "./classifier-input.ts";

/** The fields of a route that audit entries contain. */
export interface AuditedRoute {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly modelId: string;
  readonly deploymentId: string | null;
  readonly minConfidence: number | null;
  readonly enabled: boolean;
}

/** The fields of a classifier that audit entries contain. */
export interface AuditedClassifier {
  readonly _id: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly description: string;
  readonly settings: Settings;
  readonly routes: readonly AuditedRoute[];
}

/** An audit entry for a change: the target and its changed fields. */
export interface AuditedChange {
  readonly targetId: string;
  readonly changes: { [key: string]: Json };
}

/** The examples of a route before and after a change. */
export interface TextChange {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Returns the audit entry for the creation of a classifier. */
export function describeCreation({ _id, name, projectId, routes }: AuditedClassifier): AuditedChange {
  const targets = routes.map((route) => ({ routeId: route.id, ...toTarget(route) }));
  return { targetId: _id, changes: { name, projectId, ...(targets.length === 0 ? {} : { routes: targets }) } };
}

/** Returns the audit entry for the deletion of a classifier. */
export function describeDeletion({ _id, name, projectId }: AuditedClassifier): AuditedChange {
  return { targetId: _id, changes: { name, projectId } };
}

/**
 * Returns the audit entries for a change of a classifier, with the field names of REST: one for its own fields, if any changed, and one
 * for each route that was added, changed or removed. Examples are only counted, because they are parts of documents.
 */
export function describeChanges(
  before: AuditedClassifier,
  after: AuditedClassifier,
  examples: ReadonlyMap<string, TextChange> = new Map(),
): AuditedChange[] {
  const own = {
    ...fieldChange("projectId", before.projectId, after.projectId),
    ...fieldChange("name", before.name, after.name),
    ...fieldChange("description", before.description, after.description),
    ...fieldChange("settings", pickSettings(before), pickSettings(after)),
  };
  const old = new Map(before.routes.map((route) => [route.id, route]));
  const kept = new Set(after.routes.map(({ id }) => id));
  const routes = [
    ...after.routes.map((route) => ({ id: route.id, changes: describeRouteChange(old.get(route.id), route) })),
    ...before.routes.flatMap((route) => (kept.has(route.id) ? [] : [{ id: route.id, changes: describeRoute(route) }])),
  ];
  return [
    ...(Object.keys(own).length === 0 ? [] : [{ targetId: before._id, changes: own }]),
    ...routes.flatMap(({ id, changes: routeChanges }) => {
      const changes = { ...routeChanges, ...countExampleChanges(examples.get(id)) };
      if (Object.keys(changes).length === 0) return [];
      return [{ targetId: id, changes: { classifierId: before._id, ...changes } }];
    }),
  ];
}

function describeRouteChange(before: AuditedRoute | undefined, after: AuditedRoute): { [key: string]: Json } {
  if (before === undefined) return describeRoute(after);
  return {
    ...fieldChange("name", before.name, after.name),
    ...fieldChange("description", before.description, after.description),
    ...fieldChange("targetDeploymentId", before.deploymentId, after.deploymentId),
    ...fieldChange("minConfidence", before.minConfidence, after.minConfidence),
    ...fieldChange("enabled", before.enabled, after.enabled),
  };
}

function describeRoute(route: AuditedRoute): { [key: string]: Json } {
  return { name: route.name, ...toTarget(route) };
}

function toTarget({ modelId, deploymentId }: AuditedRoute) {
  return { deploymentId: modelId, targetDeploymentId: deploymentId };
}

function countExampleChanges(texts: TextChange | undefined): { [key: string]: Json } {
  if (texts === undefined) return {};
  const without = (some: readonly string[], others: readonly string[]) => some.filter((one) => !others.includes(one));
  const { from, to } = texts;
  return { examples: { added: without(to, from).length, removed: without(from, to).length } };
}

function pickSettings({ settings }: AuditedClassifier) {
  const { engine, minConfidence, minMargin, pages, modelName = null, secondOpinion = null } = settings;
  const second = secondOpinion && { engine: secondOpinion.engine, modelName: secondOpinion.modelName };
  return { engine, modelName, minConfidence, minMargin, pages, secondOpinion: second };
}
