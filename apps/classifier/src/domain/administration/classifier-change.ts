import type {
  UpdateClassifierRequest,
  UpdateRouteRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { changedFields } from "@switchyard/text";
import type { Fault } from "@switchyard/text";
import { validateClassifierValues, validateRouteValues, getSettings } from "./classifier-input.ts";
import type { Settings } from "./classifier-input.ts";

/** What a request wants changed, without what stays; or everything that is wrong with it. */
export type ChangeOutcome<Change> =
  { readonly kind: "change"; readonly change: Change } | { readonly kind: "faults"; readonly faults: readonly Fault[] };

/** A change of a classifier. The name is trimmed; settings are whole. */
export interface ClassifierChange {
  readonly name?: string;
  readonly description?: string;
  readonly settings?: Settings;
}

/** A change of a route. */
export interface RouteChange {
  /** Null for the model itself. */
  readonly targetDeploymentId?: string | null;
  /** Trimmed; "" for the target's name. */
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

/** The change of a classifier that a request asks for: the fields of its mask, without a mask those that hold something. */
export function classifierChange(request: UpdateClassifierRequest): ChangeOutcome<ClassifierChange> {
  const { name, description, settings, updateMask } = request;
  const populated = getPopulatedFields({ name, description, settings });
  const { fields, faults } = changedFields(updateMask?.paths, populated, classifierFields);
  const all = [...faults, ...validateClassifierValues(only(fields, { name, description, settings }))];
  if (all.length > 0) return { kind: "faults", faults: all };
  const change = { name: name.trim(), description, settings: getSettings(settings) };
  return { kind: "change", change: only(fields, change) };
}

/** The change of a route that a request asks for: the fields of its mask, without a mask those that hold something. */
export function routeChange(request: UpdateRouteRequest): ChangeOutcome<RouteChange> {
  const { targetDeploymentId, name, description, examples, minConfidence, enabled, updateMask } = request;
  const values = { targetDeploymentId, name, description, examples, minConfidence, enabled };
  const { fields, faults } = changedFields(updateMask?.paths, getPopulatedFields(values), routeFields);
  const all = [
    ...faults,
    ...validateRouteValues(only(fields, values)),
    ...(fields.has("enabled") && enabled === undefined ? [{ field: "enabled", message: "must not be null" }] : []),
  ];
  if (all.length > 0) return { kind: "faults", faults: all };
  const change = {
    targetDeploymentId: targetDeploymentId ?? null,
    name: name.trim(),
    description,
    examples,
    minConfidence: minConfidence ?? null,
    enabled: enabled ?? true,
  };
  return { kind: "change", change: only(fields, change) };
}

function only<Values extends object>(fields: ReadonlySet<string>, values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.has(name))) as Partial<Values>;
}

/** The names of the values that hold something. */
function getPopulatedFields(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    return empty ? [] : [name];
  });
}
