import type { HandlerContext } from "@connectrpc/connect";
import { callOptions } from "@switchyard/rpc";
import { createHash } from "node:crypto";
import PQueue from "p-queue";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import type { ReviewedDecision } from "../../domain/quality/reviewed-decision.ts";
import { MAX_SCORED_CHARACTERS } from "../../domain/scoring/text-terms.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import { readReviewedTexts } from "../learning/reviewed-texts.ts";
import { routeDocument } from "../classifications/routing.ts";
import type { Dependencies } from "../dependencies.ts";
import type { ClassifierEngines } from "../engines/engine-choice.ts";
import { resolveTargets } from "../routes/targets.ts";
import type { Targets } from "../routes/targets.ts";
import { createReplayedEngine } from "./replayed-engine.ts";
import type { ReplayedEngine } from "./replayed-engine.ts";
import { findReadableIds, toBest } from "./reviewed-decisions.ts";

/** The number of parts of cross-fitting. Each is decided by what was learned from the others. */
const folds = 5;
/** The number of documents that other engines than the local one are asked about at the same time. */
const parallelQuestions = 4;

/**
 * Decides again the reviewed documents that the caller may read, with the current engines, routes and settings. What the local engine learned
 * and how the choices of a language model are calibrated is cross-fitted: documents with the same text are in one part, and each part is
 * decided by what is known from the others. Of very many documents, only those that a classifier learns from are decided. Fails like a
 * classification if the engine fails.
 */
export async function replayReviewed(
  dependencies: Pick<
    Dependencies,
    "classifications" | "reviewedDocuments" | "targets" | "scorers" | "learning" | "engineChoice"
  >,
  classifier: ClassifierConfiguration,
  context: HandlerContext,
): Promise<ReviewedDecision[]> {
  const { targets, scorers, learning, engineChoice, reviewedDocuments } = dependencies;
  const routeIds = [null, ...(await reviewedDocuments.getRouteIds(classifier._id))];
  const noExamples = new Map(routeIds.map((routeId) => [routeId, 0]));
  const texts = await readReviewedTexts(reviewedDocuments, classifier._id, noExamples);
  const readable = await findReadableIds(dependencies, texts, context);
  const resolved = await resolveTargets(targets, classifier.routes, callOptions(context));
  const prepared = await scorers.prepare(classifier, resolved);
  const { first, second } = engineChoice.open(classifier, resolved, context);
  const replayed = { first: createReplayedEngine(first), second: second && createReplayedEngine(second) };
  const asksOthers = !replayed.first.isLocal || replayed.second?.isLocal === false;
  const decisions: ReviewedDecision[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const own = texts.filter((each) => getFold(each) === fold && readable.has(each.id));
    if (own.length === 0) continue;
    context.signal.throwIfAborted();
    const learned = await learning.learnFrom(
      prepared.profiles,
      texts.filter((each) => getFold(each) !== fold),
      context.signal,
    );
    const score = async (text: string) => ({
      ...{ kind: "scores" as const, version: "", learnedFrom: 0 },
      scores: await prepared.score(learned?.key, text),
    });
    const queue = new PQueue({ concurrency: asksOthers ? parallelQuestions : 1 });
    try {
      // Whether its opinion is needed may depend on what the other engine says about the other parts.
      if (asksOthers && replayed.second?.isLocal === true) {
        for (const each of own)
          await replayed.second.about(each, fold, score).ask({ ...each, routes: [], explain: false });
      }
      const found = await queue.addAll(
        own.map((text) => () => decideOne(classifier, resolved, toEngines(replayed, text, fold, score), text)),
        { signal: context.signal },
      );
      decisions.push(...found);
    } finally {
      queue.clear();
      await learned?.release();
    }
  }
  if (!asksOthers) return decisions;
  // Each part needs to know how the choices about the others turned out, so it is decided again when all are known.
  const again: ReviewedDecision[] = [];
  for (const each of texts) {
    if (!readable.has(each.id)) continue;
    again.push(await decideOne(classifier, resolved, toEngines(replayed, each, getFold(each)), each));
  }
  return again;
}

/** Returns the engines as they know documents of the other parts. What an engine has said once about a text, it says again. */
function toEngines(
  { first, second }: { readonly first: ReplayedEngine; readonly second: ReplayedEngine | null },
  text: LabeledText,
  fold: number,
  score?: Parameters<ReplayedEngine["about"]>[2],
): ClassifierEngines {
  return { first: first.about(text, fold, score), second: second && second.about(text, fold, score) };
}

async function decideOne(
  classifier: ClassifierConfiguration,
  targets: Targets,
  chosen: ClassifierEngines,
  { text, routeId }: LabeledText,
): Promise<ReviewedDecision> {
  const { decision, scores } = await routeDocument(classifier, targets, chosen, { text }, false);
  const { confidence, margin } = decision;
  const decided = decision.status === "CLASSIFIED" ? decision.routeId : null;
  const best = decided ?? scores.find(({ excluded }) => excluded === null)?.routeId;
  return { reviewed: routeId, decided, best: toBest(best, confidence, margin) };
}

/** Returns the part that a document belongs to. Copies belong to the same one. */
function getFold({ text }: LabeledText): number {
  return createHash("sha256").update(text.slice(0, MAX_SCORED_CHARACTERS)).digest().readUInt32BE() % folds;
}
