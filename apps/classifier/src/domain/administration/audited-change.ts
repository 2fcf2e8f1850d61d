import { fieldChange } from "@switchyard/text";
import type { Json } from "@switchyard/text";
import type { Settings } from "./classifier-input.ts";

/** A route as far as the audit trail tells of it. */
export interface AuditedRoute {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly modelId: string;
  readonly deploymentId: string | null;
  readonly minConfidence: number | null;
  readonly enabled: boolean;
}

/** A classifier as far as the audit trail tells of it. */
export interface AuditedClassifier {
  readonly _id: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly description: string;
  readonly settings: Settings;
  readonly routes: readonly AuditedRoute[];
}

/** What the audit trail says of a change: what was changed, and how. */
export interface AuditedChange {
  readonly targetId: string;
  readonly changes: { [key: string]: Json };
}

/** The texts of a route before and after. */
export interface TextChange {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** What the audit trail says of a new classifier. */
export function toCreation({ _id, name, projectId, routes }: AuditedClassifier): AuditedChange {
  const led = routes.map((route) => ({ routeId: route.id, ...toTarget(route) }));
  return { targetId: _id, changes: { name, projectId, ...(led.length === 0 ? {} : { routes: led }) } };
}

/** What the audit trail says of a classifier that is deleted. */
export function toDeletion({ _id, name, projectId }: AuditedClassifier): AuditedChange {
  return { targetId: _id, changes: { name, projectId } };
}

/**
 * What the audit trail says of a change of a classifier, by REST names: one entry about its own fields, if one of them changed, and
 * one about each route that came, changed or went. Of examples, which are made of documents, it counts what came and went.
 */
export function getChanges(
  before: AuditedClassifier,
  after: AuditedClassifier,
  examples: ReadonlyMap<string, TextChange> = new Map(),
): AuditedChange[] {
  const own = {
    ...fieldChange("projectId", before.projectId, after.projectId),
    ...fieldChange("name", before.name, after.name),
    ...fieldChange("description", before.description, after.description),
    ...fieldChange("settings", getSettings(before), getSettings(after)),
  };
  const old = new Map(before.routes.map((route) => [route.id, route]));
  const kept = new Set(after.routes.map(({ id }) => id));
  const routes = [
    ...after.routes.map((route) => ({ id: route.id, said: routeChanges(old.get(route.id), route) })),
    ...before.routes.flatMap((route) => (kept.has(route.id) ? [] : [{ id: route.id, said: presentation(route) }])),
  ];
  return [
    ...(Object.keys(own).length === 0 ? [] : [{ targetId: before._id, changes: own }]),
    ...routes.flatMap(({ id, said }) => {
      const changes = { ...said, ...exampleChange(examples.get(id)) };
      if (Object.keys(changes).length === 0) return [];
      return [{ targetId: id, changes: { classifierId: before._id, ...changes } }];
    }),
  ];
}

function routeChanges(before: AuditedRoute | undefined, after: AuditedRoute): { [key: string]: Json } {
  if (before === undefined) return presentation(after);
  return {
    ...fieldChange("name", before.name, after.name),
    ...fieldChange("description", before.description, after.description),
    ...fieldChange("targetDeploymentId", before.deploymentId, after.deploymentId),
    ...fieldChange("minConfidence", before.minConfidence, after.minConfidence),
    ...fieldChange("enabled", before.enabled, after.enabled),
  };
}

function presentation(route: AuditedRoute): { [key: string]: Json } {
  return { name: route.name, ...toTarget(route) };
}

function toTarget({ modelId, deploymentId }: AuditedRoute) {
  return { deploymentId: modelId, targetDeploymentId: deploymentId };
}

function exampleChange(texts: TextChange | undefined): { [key: string]: Json } {
  if (texts === undefined) return {};
  const without = (some: readonly string[], others: readonly string[]) => some.filter((one) => !others.includes(one));
  const { from, to } = texts;
  return { examples: { added: without(to, from).length, removed: without(from, to).length } };
}

function getSettings({ settings: { engine, minConfidence, minMargin, pages } }: AuditedClassifier) {
  return { engine, minConfidence, minMargin, pages };
}
