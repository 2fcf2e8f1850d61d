import type { CallOptions, Client } from "@connectrpc/connect";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ResolvedTarget, TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { RouteTarget, TargetState } from "../../domain/decision/candidates.ts";
import { getTargetKey } from "../../store/classifier-document.ts";
import type { RouteDocument } from "../../store/classifier-document.ts";

/** A reference to the target of a route: a model, or a deployment of it. */
export interface TargetReference {
  readonly modelId: string;
  readonly deploymentId: string | null;
}

/** Resolved targets, in the state that they had when they were resolved. */
export interface Targets {
  /** Returns undefined for a target that was not resolved, and an empty message for one that does not exist. */
  get(reference: TargetReference): ResolvedTarget | undefined;
}

const maxTargetsPerCall = 1000;

/**
 * Resolves targets with one call to the configuration service per 1,000 distinct targets. The results are not cached, so that a pause
 * takes effect at once.
 */
export async function resolveTargets(
  client: Client<typeof TargetService>,
  references: readonly TargetReference[],
  options: CallOptions,
): Promise<Targets> {
  const distinct = [...new Map(references.map((reference) => [getKey(reference), reference])).values()];
  const found = new Map<string, ResolvedTarget>();
  const chunks = Array.from({ length: Math.ceil(distinct.length / maxTargetsPerCall) }, (_, index) =>
    distinct.slice(index * maxTargetsPerCall, (index + 1) * maxTargetsPerCall),
  );
  await Promise.all(
    chunks.map(async (chunk) => {
      const batch = chunk.map(({ modelId, deploymentId }) => ({ modelId, deploymentId: deploymentId ?? "" }));
      const { targets } = await client.resolveTargets({ targets: batch }, options);
      for (const [index, reference] of chunk.entries()) {
        const target = targets[index];
        if (target !== undefined) found.set(getKey(reference), target);
      }
    }),
  );
  return { get: (reference) => found.get(getKey(reference)) };
}

function getKey({ modelId, deploymentId }: TargetReference): string {
  return getTargetKey(modelId, deploymentId);
}

/** Whether the targets of all these routes were resolved. */
export function coverRoutes(targets: Targets, routes: readonly TargetReference[]): boolean {
  return routes.every((route) => targets.get(route) !== undefined);
}

/** Returns the schema that documents of a route are extracted with; undefined if its target has none or was deleted. */
export function getSchemaId(
  { deploymentId }: Pick<TargetReference, "deploymentId">,
  target: ResolvedTarget | undefined,
): string | undefined {
  return deploymentId === null ? target?.model?.schemaId : target?.deployment?.schemaId;
}

/** Returns the names of the columns of the schema that a route's target has. */
export function getColumnNames(route: TargetReference, targets: Targets): readonly string[] {
  const { model, deployment } = targets.get(route) ?? {};
  return deployment?.columnNames ?? model?.columnNames ?? [];
}

/** Converts a route and its target to the input of the candidate rules. */
export function toRouteTarget(route: RouteDocument, targets: Targets): RouteTarget {
  const target = targets.get(route);
  return {
    routeId: route.id,
    modelId: route.modelId,
    deploymentId: route.deploymentId,
    enabled: route.enabled,
    model: target?.model === undefined ? null : toTargetState(target.model.status, target.model.schemaId),
    deployment:
      target?.deployment === undefined ? null : toTargetState(target.deployment.status, target.deployment.schemaId),
  };
}

function toTargetState(status: ModelStatus, schemaId: string | undefined): TargetState {
  return {
    paused: status === ModelStatus.PAUSED,
    schemaId: schemaId === undefined || schemaId === "" ? null : schemaId,
  };
}
