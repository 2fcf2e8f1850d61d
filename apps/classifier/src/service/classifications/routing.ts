import type { ReadDocumentResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { EngineFailure } from "@switchyard/engines";
import { unavailable } from "@switchyard/rpc";
import { addUsage } from "@switchyard/statistics";
import { toCandidates } from "../../domain/decision/candidates.ts";
import type { Exclusion } from "../../domain/decision/candidates.ts";
import { decide } from "../../domain/decision/decision.ts";
import type { Decision } from "../../domain/decision/decision.ts";
import { findSubstitutes } from "../../domain/decision/decision-route.ts";
import type { DecisionRoute } from "../../domain/decision/decision-route.ts";
import { UNCALIBRATED } from "../../domain/engines/calibration.ts";
import type { ModelUsage, OfferedRoute, Opinion } from "../../domain/engines/engine.ts";
import { toRecordedChoice } from "../../domain/engines/recorded-choice.ts";
import type { RecordedChoice } from "../../domain/engines/recorded-choice.ts";
import { toScoring } from "../../domain/engines/scoring.ts";
import type { EngineScore, EngineScoring } from "../../domain/engines/scoring.ts";
import { explain as explanations } from "../../domain/scoring/explanation.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { ClassifierEngines, ChosenEngine } from "../engines/engine-choice.ts";
import { toReason } from "../reasons.ts";
import { getColumnNames, toRouteTarget } from "../routes/targets.ts";
import type { Targets } from "../routes/targets.ts";

/** The score of a route, or the reason why it was excluded. */
export interface RoutedScore {
  routeId: string;
  /** Null if the document was not scored. */
  score: number | null;
  excluded: Exclusion | null;
  evidence: readonly { term: string; weight: number }[];
}

/** What came of a second opinion: the engine decided, chose no route that reaches the thresholds, or failed. */
export type SecondOutcome = "DECIDED" | "NONE" | EngineFailure["code"];

/** The engine that decided a document. */
export interface DecidingEngine {
  name: string;
  modelName: string | null;
  /** The version of the engine and of what it had learned. */
  version: string;
  /** The number of reviewed documents that it had learned from. */
  learnedFrom: number;
  /** Null if no second opinion was asked for. */
  secondOpinion: { name: string; modelName: string | null; outcome: SecondOutcome } | null;
}

/** The decision on a document, and the scores of all routes, best first. */
export interface Routing {
  decision: Decision;
  scores: RoutedScore[];
  engine: DecidingEngine;
  /** What language models used. Null if none was asked. */
  usage: ModelUsage | null;
  /** The routes that language models chose, decided or not. */
  choices: RecordedChoice[];
}

/** A decision, and what it was made by. */
interface Consultation {
  decision: Decision;
  scores: readonly EngineScore[];
  engine: Omit<DecidingEngine, "secondOpinion">;
  usage: ModelUsage | null;
  choices: RecordedChoice[];
}

/**
 * Decides which route a document takes. The routes are checked first: if none is a candidate, that is the reason, whatever the
 * document. A document that cannot be read is not scored. Where the scores leave a document without a route, the second engine may choose
 * among the candidates. Throws UNAVAILABLE if the first engine fails; if the second one does, the first decision stands.
 */
export async function routeDocument(
  classifier: ClassifierConfiguration,
  targets: Targets,
  chosen: ClassifierEngines,
  read: Pick<ReadDocumentResponse, "text" | "problem">,
  explain: boolean,
): Promise<Routing> {
  const { routes } = classifier;
  const candidates = toCandidates(routes.map((route) => toRouteTarget(route, targets)));
  const exclusionByRoute = new Map(candidates.map(({ routeId, excluded }) => [routeId, excluded]));
  const anyCandidate = candidates.some(({ excluded }) => excluded === null);
  const decisionRoutes = routes.map((route) => ({
    ...route,
    routeId: route.id,
    excluded: exclusionByRoute.get(route.id) ?? null,
  }));

  if (!anyCandidate || read.problem !== undefined) {
    const decision =
      anyCandidate && read.problem !== undefined
        ? unreadable(toReason(read.problem.code), read.problem.message)
        : decide({ routes: decisionRoutes, scores: [], settings: classifier.settings });
    const { name, modelName, version } = chosen.first;
    const engine = { name, modelName, version, learnedFrom: 0, secondOpinion: null };
    return { decision, scores: toRoutedScores(decisionRoutes, []), engine, usage: null, choices: [] };
  }

  const offered = routes.map((route) => ({
    id: route.id,
    name: route.name,
    description: route.description,
    columnNames: getColumnNames(route, targets),
  }));
  const document = { classifier, decisionRoutes, offered, text: read.text, explain };
  const consultation = await consult(chosen.first, document, offered).catch(throwUnavailable);
  const { second } = chosen;
  const { decision } = consultation;
  if (second === null || decision.status === "CLASSIFIED" || !isOpen(decision)) return toRouting(consultation, null);

  const eligible = offered.filter(({ id }) => exclusionByRoute.get(id) === null);
  const asked = { name: second.name, modelName: second.modelName };
  try {
    const other = await consult(second, document, eligible);
    const secondOpinion = { ...asked, modelName: other.engine.modelName };
    const usage = addUsage([consultation.usage, other.usage]);
    const choices = [...consultation.choices, ...other.choices];
    return other.decision.status === "CLASSIFIED"
      ? toRouting({ ...other, usage, choices }, { ...secondOpinion, outcome: "DECIDED" })
      : toRouting({ ...consultation, usage, choices }, { ...secondOpinion, outcome: "NONE" });
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return toRouting(
      { ...consultation, usage: addUsage([consultation.usage, error.usage]) },
      { ...asked, outcome: error.code },
    );
  }

  function toRouting(consultation: Consultation, secondOpinion: DecidingEngine["secondOpinion"]): Routing {
    return {
      ...consultation,
      scores: toRoutedScores(decisionRoutes, consultation.scores),
      engine: { ...consultation.engine, secondOpinion },
    };
  }
}

/** Asks an engine about a document, and decides by its scores. */
async function consult(
  consulted: ChosenEngine,
  document: {
    classifier: ClassifierConfiguration;
    decisionRoutes: readonly DecisionRoute[];
    offered: readonly OfferedRoute[];
    text: string;
    explain: boolean;
  },
  routes: readonly OfferedRoute[],
): Promise<Consultation> {
  const { classifier, decisionRoutes, offered, text, explain } = document;
  const opinion = await consulted.ask({ text, routes, explain });
  const calibration = opinion.kind === "choice" ? await consulted.calibrate(opinion) : UNCALIBRATED;
  const substitutes = findSubstitutes(opinion.kind === "choice" ? opinion.routeId : null, decisionRoutes);
  const scoring = toScoring(opinion, calibration, offered, substitutes);
  const decision = decide({ routes: decisionRoutes, scores: scoring.scores, settings: classifier.settings });
  const choice = opinion.kind === "choice" ? toRecordedChoice(consulted.name, opinion) : null;
  // A review confirms the route that the document took.
  const taken = decision.status === "CLASSIFIED" && substitutes.has(decision.routeId) ? decision.routeId : undefined;
  return {
    decision: explainChoice(decision, consulted.name, opinion, offered),
    scores: scoring.scores,
    engine: toEngine(consulted, opinion, scoring),
    usage: opinion.kind === "choice" ? opinion.usage : null,
    choices: choice === null ? [] : [{ ...choice, routeId: taken ?? choice.routeId }],
  };
}

/** Explains a decision by what a language model said if it chose none of the routes, or gave no words of the document for its choice. */
function explainChoice(
  decision: Decision,
  engine: string,
  opinion: Opinion,
  offered: readonly OfferedRoute[],
): Decision {
  if (decision.status === "CLASSIFIED" || opinion.kind !== "choice") return decision;
  if (opinion.routeId === null) return { ...decision, message: explanations.choseNone(engine, opinion.reason) };
  if (opinion.quotes.length > 0) return decision;
  const { name } = offered.find(({ id }) => id === opinion.routeId) ?? { name: opinion.routeId };
  return { ...decision, message: explanations.choseUnfounded(engine, name) };
}

function toEngine(
  { name }: ChosenEngine,
  opinion: Opinion,
  { version, learnedFrom }: EngineScoring,
): Consultation["engine"] {
  return { name, modelName: opinion.kind === "choice" ? opinion.modelName : null, version, learnedFrom };
}

/** Whether a second opinion can be of use: the document was scored, but the scores give it no route. */
function isOpen({ reason }: Extract<Decision, { status: "UNCLASSIFIED" }>): boolean {
  return reason === "NO_MATCH" || reason === "BELOW_THRESHOLD" || reason === "AMBIGUOUS";
}

function toRoutedScores(routes: readonly DecisionRoute[], scores: readonly EngineScore[]): RoutedScore[] {
  const scoreByRoute = new Map(scores.map((score) => [score.routeId, score]));
  const unranked = routes.map(({ routeId, excluded }) => ({
    routeId,
    score: scoreByRoute.get(routeId)?.score ?? null,
    excluded,
    evidence: scoreByRoute.get(routeId)?.evidence ?? [],
  }));
  // Sorting is stable: routes with equal scores stay in order of creation.
  return unranked.sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
}

/** Throws UNAVAILABLE with the code of an engine that failed, and any other error as it is. */
export function throwUnavailable(error: unknown): never {
  throw error instanceof EngineFailure ? unavailable(error.code, error.message, error) : error;
}

function unreadable(reason: ReturnType<typeof toReason>, message: string): Decision {
  return { status: "UNCLASSIFIED", reason, message, confidence: null, threshold: null, margin: null };
}
