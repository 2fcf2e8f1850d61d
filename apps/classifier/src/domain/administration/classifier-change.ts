import type {
  UpdateClassifierRequest,
  UpdateRouteRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { changedFields } from "@switchyard/text";
import type { Violation } from "@switchyard/text";
import { validateClassifierValues, validateRouteValues, toSettings } from "./classifier-input.ts";
import type { FindModels, Settings } from "./classifier-input.ts";

/** The change that a request asks for, or all faults of the request. */
export type ChangeOutcome<Change> =
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] };

/** A change of a classifier. The name is trimmed, and settings are replaced as a whole. */
export interface ClassifierChange {
  readonly name?: string;
  readonly description?: string;
  readonly settings?: Settings;
}

/** A change of a route. Fields that do not change are undefined. */
export interface RouteChange {
  /** Null for a route to the model itself. */
  readonly targetDeploymentId?: string | null;
  /** Trimmed. If empty, the route gets the name of its target. */
  readonly name?: string;
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly minConfidence?: number | null;
  readonly enabled?: boolean;
}

const classifierFields = { name: "name", description: "description", settings: "settings" } as const;

const routeFields = {
  target_deployment_id: "targetDeploymentId",
  name: "name",
  description: "description",
  examples: "examples",
  min_confidence: "minConfidence",
  enabled: "enabled",
} as const;

/** Parses the change of a classifier: the fields of the mask, or without a mask those that are not empty. */
export function parseClassifierChange(
  request: UpdateClassifierRequest,
  findModels: FindModels,
): ChangeOutcome<ClassifierChange> {
  const { name, description, settings, updateMask } = request;
  const populated = getPopulatedFields({ name, description, settings });
  const { fields, violations } = changedFields(updateMask?.paths, populated, classifierFields);
  const all = [...violations, ...validateClassifierValues(pick(fields, { name, description, settings }), findModels)];
  if (all.length > 0) return { kind: "invalid", violations: all };
  const change = { name: name.trim(), description, settings: toSettings(settings) };
  return { kind: "change", change: pick(fields, change) };
}

/** Parses the change of a route: the fields of the mask, or without a mask those that are not empty. */
export function parseRouteChange(request: UpdateRouteRequest): ChangeOutcome<RouteChange> {
  const { targetDeploymentId, name, description, examples, minConfidence, enabled, updateMask } = request;
  const values = { targetDeploymentId, name, description, examples, minConfidence, enabled };
  const { fields, violations } = changedFields(updateMask?.paths, getPopulatedFields(values), routeFields);
  const all = [
    ...violations,
    ...validateRouteValues(pick(fields, values)),
    ...(fields.has("enabled") && enabled === undefined ? [{ field: "enabled", message: "must not be null" }] : []),
  ];
  if (all.length > 0) return { kind: "invalid", violations: all };
  const change = {
    targetDeploymentId: targetDeploymentId ?? null,
    name: name.trim(),
    description,
    examples,
    minConfidence: minConfidence ?? null,
    enabled: enabled ?? true,
  };
  return { kind: "change", change: pick(fields, change) };
}

function pick<Values extends object>(fields: ReadonlySet<string>, values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.has(name))) as Partial<Values>;
}

/** Returns the names of the values that are not empty. */
function getPopulatedFields(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    return empty ? [] : [name];
  });
}
