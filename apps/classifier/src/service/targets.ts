import type { CallOptions, Client } from "@connectrpc/connect";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ResolvedTarget, TargetService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { RouteTarget, TargetState } from "../domain/candidates.ts";
import { targetKeyOf } from "../store/classifier-document.ts";
import type { RouteDocument } from "../store/classifier-document.ts";

/** The targets of routes as they are now, by the route's target. */
export interface Targets {
  of(route: Pick<RouteDocument, "targetKey">): ResolvedTarget | undefined;
}

const mostPerCall = 1000;

/**
 * Asks the configuration service once for the targets of any number of routes (once per 1,000 distinct ones).
 * Nothing is remembered: a pause counts from its answer.
 */
export async function resolveTargets(
  client: Client<typeof TargetService>,
  routes: readonly Pick<RouteDocument, "targetKey" | "modelId" | "deploymentId">[],
  options: CallOptions,
): Promise<Targets> {
  const distinct = [...new Map(routes.map((route) => [route.targetKey, route])).values()];
  const found = new Map<string, ResolvedTarget>();
  const chunks = Array.from({ length: Math.ceil(distinct.length / mostPerCall) }, (_, index) =>
    distinct.slice(index * mostPerCall, (index + 1) * mostPerCall),
  );
  await Promise.all(
    chunks.map(async (chunk) => {
      const references = chunk.map(({ modelId, deploymentId }) => ({ modelId, deploymentId: deploymentId ?? "" }));
      const { targets } = await client.resolveTargets({ targets: references }, options);
      for (const [index, route] of chunk.entries()) {
        const target = targets[index];
        if (target !== undefined) found.set(targetKeyOf(route.modelId, route.deploymentId), target);
      }
    }),
  );
  return { of: ({ targetKey }) => found.get(targetKey) };
}

/** A route's target as the candidate rules need it. */
export function candidateTarget(route: RouteDocument, targets: Targets): RouteTarget {
  const target = targets.of(route);
  return {
    routeId: route.id,
    modelId: route.modelId,
    deploymentId: route.deploymentId,
    enabled: route.enabled,
    model: target?.model === undefined ? null : stateOf(target.model.status, target.model.schemaId),
    deployment: target?.deployment === undefined ? null : stateOf(target.deployment.status, target.deployment.schemaId),
  };
}

function stateOf(status: ModelStatus, schemaId: string | undefined): TargetState {
  return {
    paused: status === ModelStatus.PAUSED,
    schemaId: schemaId === undefined || schemaId === "" ? null : schemaId,
  };
}
