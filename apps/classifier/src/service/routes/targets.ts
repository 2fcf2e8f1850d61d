import type { CallOptions, Client } from "@connectrpc/connect";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ResolvedTarget, TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { RouteTarget, TargetState } from "../../domain/decision/candidates.ts";
import { getTargetKey } from "../../store/classifier-document.ts";
import type { RouteDocument } from "../../store/classifier-document.ts";

/** What a route or a request names as its target. */
export interface TargetReference {
  readonly modelId: string;
  readonly deploymentId: string | null;
}

/** The targets that were asked for, as they are now. */
export interface Targets {
  /** Undefined for a target that was not asked for; empty for one that does not exist. */
  of(reference: TargetReference): ResolvedTarget | undefined;
}

const maxTargetsPerCall = 1000;

/**
 * Asks the configuration service once for any number of targets (once per 1,000 distinct ones).
 * Nothing is remembered: a pause counts from its answer.
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
      const asked = chunk.map(({ modelId, deploymentId }) => ({ modelId, deploymentId: deploymentId ?? "" }));
      const { targets } = await client.resolveTargets({ targets: asked }, options);
      for (const [index, reference] of chunk.entries()) {
        const target = targets[index];
        if (target !== undefined) found.set(getKey(reference), target);
      }
    }),
  );
  return { of: (reference) => found.get(getKey(reference)) };
}

function getKey({ modelId, deploymentId }: TargetReference): string {
  return getTargetKey(modelId, deploymentId);
}

/** Whether a message that shows these routes can be made of these targets alone. */
export function cover(targets: Targets, routes: readonly TargetReference[]): boolean {
  return routes.every((route) => targets.of(route) !== undefined);
}

/** A route's target as the candidate rules need it. */
export function candidateTarget(route: RouteDocument, targets: Targets): RouteTarget {
  const target = targets.of(route);
  return {
    routeId: route.id,
    modelId: route.modelId,
    deploymentId: route.deploymentId,
    enabled: route.enabled,
    model: target?.model === undefined ? null : getState(target.model.status, target.model.schemaId),
    deployment:
      target?.deployment === undefined ? null : getState(target.deployment.status, target.deployment.schemaId),
  };
}

function getState(status: ModelStatus, schemaId: string | undefined): TargetState {
  return {
    paused: status === ModelStatus.PAUSED,
    schemaId: schemaId === undefined || schemaId === "" ? null : schemaId,
  };
}
