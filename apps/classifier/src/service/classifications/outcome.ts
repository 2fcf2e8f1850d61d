import { ClassificationStatus, SecondOpinionOutcome } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ResolvedTarget } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Decision } from "../../domain/decision/decision.ts";
import type { RouteDocument } from "../../store/classifier-document.ts";
import type { ModelUsage } from "../../domain/engines/engine.ts";
import { exclusionReasons, reasonCodes } from "../reasons.ts";
import { getSchemaId } from "../routes/targets.ts";
import type { DecidingEngine, RoutedScore } from "./routing.ts";

/**
 * Returns the fields of a classification that result from its decision. `route` is the chosen route and `target` its target.
 * Throws if a document is CLASSIFIED without a route, because there is no reason code for that.
 */
export function toOutcome(decision: Decision, route: RouteDocument | undefined, target: ResolvedTarget | undefined) {
  if (decision.status === "UNCLASSIFIED") {
    return {
      status: ClassificationStatus.UNCLASSIFIED,
      reason: { code: reasonCodes[decision.reason], message: decision.message },
    };
  }
  if (route === undefined) throw new Error(`the chosen route ${decision.routeId} is not a route of the classifier`);
  return {
    status: ClassificationStatus.CLASSIFIED,
    routeId: route.id,
    routeName: route.name,
    modelId: route.modelId,
    targetName: (route.deploymentId === null ? target?.model?.name : target?.deployment?.name) ?? route.name,
    ...optional("targetDeploymentId", route.deploymentId),
    ...optional("schemaId", getSchemaId(route, target)),
  };
}

/** Returns the figures of a decision, which are absent if no route was scored. */
export function toFigures({ confidence, threshold, margin }: Decision) {
  return {
    ...optional("confidence", confidence),
    ...optional("threshold", threshold),
    ...optional("margin", margin),
  };
}

/** Returns the scores of all routes, with the terms that contributed to them if `explain` is true. */
export function toScoreMessages(scores: readonly RoutedScore[], routes: readonly RouteDocument[], explain: boolean) {
  return scores.map(({ routeId, score, excluded, evidence }) => ({
    routeId,
    routeName: routes.find(({ id }) => id === routeId)?.name ?? "",
    ...optional("score", score),
    eligible: excluded === null,
    ...optional("ineligibleReason", excluded === null ? null : exclusionReasons[excluded]),
    ...(explain && score !== null ? { evidence: { terms: [...evidence] } } : {}),
  }));
}

/** Returns the fields of the engine of a record. */
export function toEngineMessage({ name, version, modelName, learnedFrom, secondOpinion }: DecidingEngine) {
  return {
    name,
    version,
    learnedFrom,
    ...optional("modelName", modelName),
    ...optional(
      "secondOpinion",
      secondOpinion && {
        name: secondOpinion.name,
        ...optional("modelName", secondOpinion.modelName),
        outcome: SecondOpinionOutcome[secondOpinion.outcome],
      },
    ),
  };
}

/** Returns the fields of what language models used; null if none was asked. */
export function toUsageMessage(usage: ModelUsage | null) {
  return usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, ...optional("cost", usage.cost) };
}

/** Returns an object with one field, or an empty object if the value is null or undefined. */
export function optional<K extends string, T>(name: K, value: T | null | undefined): Partial<Record<K, T>> {
  return value === null || value === undefined ? {} : ({ [name]: value } as Partial<Record<K, T>>);
}
