import type { ReadDocumentResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { toCandidates } from "../../domain/decision/candidates.ts";
import type { Exclusion } from "../../domain/decision/candidates.ts";
import { decide } from "../../domain/decision/decision.ts";
import type { Decision } from "../../domain/decision/decision.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import { toReason } from "../reasons.ts";
import { engineVersion } from "./scorers.ts";
import type { Scorers } from "./scorers.ts";
import { toRouteTarget } from "../routes/targets.ts";
import type { Targets } from "../routes/targets.ts";

/** The score of a route, or the reason why it was excluded. */
export interface RoutedScore {
  routeId: string;
  /** Null if the document was not scored. */
  score: number | null;
  excluded: Exclusion | null;
  evidence: readonly { term: string; weight: number }[];
}

/** The decision on a document, and the scores of all routes, best first. */
export interface Routing {
  decision: Decision;
  scores: RoutedScore[];
  /** The version of what scored the document, and the number of reviewed documents that it had learned from. */
  engine: { version: string; learnedFrom: number };
}

/**
 * Decides which route a document takes. The routes are checked first: if none is a candidate, that is the reason, whatever the
 * document. A document that cannot be read is not scored.
 */
export async function routeDocument(
  classifier: ClassifierConfiguration,
  targets: Targets,
  scorers: Pick<Scorers, "score">,
  read: Pick<ReadDocumentResponse, "text" | "problem">,
  explain: boolean,
): Promise<Routing> {
  const { routes, settings } = classifier;
  const candidates = toCandidates(routes.map((route) => toRouteTarget(route, targets)));
  const exclusionByRoute = new Map(candidates.map(({ routeId, excluded }) => [routeId, excluded]));
  const anyCandidate = candidates.some(({ excluded }) => excluded === null);
  const readable = read.problem === undefined;
  const unlearned = { scores: [], version: engineVersion, learnedFrom: 0 };
  const { scores, version, learnedFrom } =
    anyCandidate && readable ? await scorers.score(classifier, targets, read.text, explain) : unlearned;
  const decision =
    anyCandidate && read.problem !== undefined
      ? unreadable(toReason(read.problem.code), read.problem.message)
      : decide({
          routes: routes.map((route) => ({
            ...route,
            routeId: route.id,
            excluded: exclusionByRoute.get(route.id) ?? null,
          })),
          scores,
          settings,
        });
  const scoreByRoute = new Map(scores.map((score) => [score.routeId, score]));
  const unranked = routes.map(({ id }) => ({
    routeId: id,
    score: scoreByRoute.get(id)?.score ?? null,
    excluded: exclusionByRoute.get(id) ?? null,
    evidence: scoreByRoute.get(id)?.evidence ?? [],
  }));
  // Sorting is stable: routes with equal scores stay in order of creation.
  return {
    decision,
    scores: unranked.sort((a, b) => (b.score ?? -1) - (a.score ?? -1)),
    engine: { version, learnedFrom },
  };
}

function unreadable(reason: ReturnType<typeof toReason>, message: string): Decision {
  return { status: "UNCLASSIFIED", reason, message, confidence: null, threshold: null, margin: null };
}
