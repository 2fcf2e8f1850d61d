import { ClassificationStatus } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ResolvedTarget } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Decision } from "../../domain/decision/decision.ts";
import type { RouteDocument } from "../../store/classifier-document.ts";
import { reasonCodes } from "../reasons.ts";

/**
 * What the record of a classification says of its decision. `route` is the one that was decided for and `target` where it leads.
 * Throws when a document is CLASSIFIED without a route: no reason could be given for that.
 */
export function outcome(decision: Decision, route: RouteDocument | undefined, target: ResolvedTarget | undefined) {
  if (decision.status === "UNCLASSIFIED") {
    return {
      status: ClassificationStatus.UNCLASSIFIED,
      reason: { code: reasonCodes[decision.reason], message: decision.message },
    };
  }
  if (route === undefined)
    throw new Error(`decided for the route ${decision.routeId}, which the classifier does not have`);
  const schemaId = route.deploymentId === null ? target?.model?.schemaId : target?.deployment?.schemaId;
  return {
    status: ClassificationStatus.CLASSIFIED,
    routeId: route.id,
    routeName: route.name,
    modelId: route.modelId,
    targetName: (route.deploymentId === null ? target?.model?.name : target?.deployment?.name) ?? route.name,
    ...optional("targetDeploymentId", route.deploymentId),
    ...optional("schemaId", schemaId),
  };
}

/** A field that is left out, and so has no value, when the value is null or undefined. */
export function optional<K extends string, T>(name: K, value: T | null | undefined): Partial<Record<K, T>> {
  return value === null || value === undefined ? {} : ({ [name]: value } as Partial<Record<K, T>>);
}
