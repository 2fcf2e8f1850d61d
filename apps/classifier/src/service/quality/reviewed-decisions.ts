import type { HandlerContext } from "@connectrpc/connect";
import { canReadClassification, getCaller } from "@switchyard/access";
import { callOptions } from "@switchyard/rpc";
import { createHash } from "node:crypto";
import type { LabelledText } from "../../domain/learning/labelled-text.ts";
import { createTextSelection } from "../../domain/learning/text-selection.ts";
import type { ReviewedDecision } from "../../domain/quality/reviewed-decision.ts";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import { routeDocument } from "../classifications/routing.ts";
import type { Dependencies } from "../dependencies.ts";
import { resolveTargets } from "../routes/targets.ts";

type Reading = Pick<Dependencies, "classifications" | "reviewedDocuments">;

/** The number of parts of cross-fitting. Each is decided by what was learned from the others. */
const folds = 5;

/** Reads the decisions of the reviewed records that the caller may read, as they were recorded. */
export async function readRecorded(
  dependencies: Reading,
  { _id }: ClassifierConfiguration,
  context: HandlerContext,
): Promise<ReviewedDecision[]> {
  const decisions: ReviewedDecision[] = [];
  for await (const ids of dependencies.reviewedDocuments.listIds(_id)) {
    for (const { classification } of await findReadable(dependencies, ids, context)) {
      const { review, routeId, confidence, margin, scores } = classification;
      const best = routeId ?? scores.find(({ eligible }) => eligible)?.routeId;
      decisions.push({
        reviewed: review?.routeId ?? null,
        decided: routeId ?? null,
        best: toBest(best, confidence, margin),
      });
    }
  }
  return decisions;
}

/**
 * Decides the reviewed documents that the caller may read anew, by the routes and settings of now. What the engine learned is
 * cross-fitted: documents with the same text are in one part, and each part is decided by what was learned from the others. Of very many
 * documents, those are decided that a classifier learns from.
 */
export async function replayReviewed(
  dependencies: Reading & Pick<Dependencies, "targets" | "scorers" | "learning">,
  classifier: ClassifierConfiguration,
  context: HandlerContext,
): Promise<ReviewedDecision[]> {
  const { targets, scorers, learning, reviewedDocuments } = dependencies;
  const selection = createTextSelection();
  for await (const batch of reviewedDocuments.list(classifier._id)) selection.add(batch);
  const texts = selection.get();
  const readable = await findReadableIds(dependencies, texts, context);
  const resolved = await resolveTargets(targets, classifier.routes, callOptions(context));
  const prepared = await scorers.prepare(classifier, resolved);
  const decisions: ReviewedDecision[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const own = texts.filter((each) => getFold(each) === fold && readable.has(each.id));
    if (own.length === 0) continue;
    context.signal.throwIfAborted();
    const learned = await learning.learnFrom(
      prepared.profiles,
      texts.filter((each) => getFold(each) !== fold),
    );
    try {
      for (const { text, routeId } of own) {
        const { decision, scores } = await routeDocument(
          classifier,
          resolved,
          {
            score: async () => ({ scores: await prepared.score(learned?.key, text), version: "", learnedFrom: 0 }),
          },
          { text },
          false,
        );
        const { confidence, margin } = decision;
        const decided = decision.status === "CLASSIFIED" ? decision.routeId : null;
        const best = decided ?? scores.find(({ excluded }) => excluded === null)?.routeId;
        decisions.push({ reviewed: routeId, decided, best: toBest(best, confidence, margin) });
      }
    } finally {
      await learned?.release();
    }
  }
  return decisions;
}

/** Returns the best candidate; null if the document was not scored. */
function toBest(
  routeId: string | undefined,
  confidence: number | null | undefined,
  margin: number | null | undefined,
): ReviewedDecision["best"] {
  return routeId === undefined || confidence == null || margin == null ? null : { routeId, confidence, margin };
}

/** Finds the records with a review that the caller may read. */
async function findReadable(
  { classifications }: Pick<Dependencies, "classifications">,
  ids: readonly string[],
  context: HandlerContext,
): Promise<ClassificationRecord[]> {
  const caller = getCaller(context);
  const found = await classifications.findAll(ids);
  return found.filter(
    ({ classification, tokenId, projectId, organizationId }) =>
      classification.review !== undefined && canReadClassification(caller, { tokenId, projectId }, organizationId),
  );
}

async function findReadableIds(
  dependencies: Pick<Dependencies, "classifications">,
  texts: readonly LabelledText[],
  context: HandlerContext,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let start = 0; start < texts.length; start += 100) {
    const batch = texts.slice(start, start + 100).map(({ id }) => id);
    for (const { classification } of await findReadable(dependencies, batch, context)) ids.add(classification.id);
  }
  return ids;
}

/** Returns the part that a document belongs to. Copies belong to the same one. */
function getFold({ text }: LabelledText): number {
  return createHash("sha256").update(text).digest().readUInt32BE() % folds;
}
