import type { RouteScore } from "../scoring/scorer.ts";
import { countKnown, getConfidence } from "./calibration.ts";
import type { Calibration } from "./calibration.ts";
import type { ChoiceOpinion, OfferedRoute, Opinion } from "./engine.ts";

/** The score of a route, and the terms or passages that it follows from. */
export type EngineScore = Pick<RouteScore, "routeId" | "score" | "evidence">;

/** The scores of the routes for a document, by whatever engine. */
export interface EngineScoring {
  readonly scores: readonly EngineScore[];
  /** The version of the engine and of what it had learned. */
  readonly version: string;
  /** The number of reviewed documents that it had learned from. */
  readonly learnedFrom: number;
}

/**
 * Returns the scores that an opinion gives. The route that was chosen and its substitutes have the calibrated confidence, or 0 if nothing that
 * was quoted is in the document. All others have 0.
 */
export function toScoring(
  opinion: Opinion,
  calibration: Calibration,
  routes: readonly OfferedRoute[],
  substitutes: ReadonlySet<string> = new Set(),
): EngineScoring {
  if (opinion.kind === "scores") return opinion;
  const confidence = getConfidence(calibration, opinion.quotes.length > 0);
  const learnedFrom = countKnown(calibration);
  return {
    scores: routes.map(({ id }) =>
      id === opinion.routeId || substitutes.has(id)
        ? { routeId: id, score: confidence, evidence: toEvidence(opinion, confidence) }
        : { routeId: id, score: 0, evidence: [] },
    ),
    version: learnedFrom === 0 ? opinion.version : `${opinion.version}+${calibration.right}of${calibration.total}`,
    learnedFrom,
  };
}

/** The passages that were found in the document, as evidence of equal weight. */
function toEvidence({ quotes }: ChoiceOpinion, confidence: number): EngineScore["evidence"] {
  return quotes.map((term) => ({ term, weight: Math.round((confidence / quotes.length) * 10_000) / 10_000 }));
}
