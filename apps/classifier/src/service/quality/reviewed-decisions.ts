import type { HandlerContext } from "@connectrpc/connect";
import { canReadClassification, getCaller } from "@switchyard/access";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import type { ReviewedDecision } from "../../domain/quality/reviewed-decision.ts";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";

type Reading = Pick<Dependencies, "classifications" | "reviewedDocuments">;

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

/** Returns the best candidate; null if the document was not scored. */
export function toBest(
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

/** Finds the IDs of those records with these texts that the caller may read. */
export async function findReadableIds(
  dependencies: Pick<Dependencies, "classifications">,
  texts: readonly LabeledText[],
  context: HandlerContext,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let start = 0; start < texts.length; start += 100) {
    const batch = texts.slice(start, start + 100).map(({ id }) => id);
    for (const { classification } of await findReadable(dependencies, batch, context)) ids.add(classification.id);
  }
  return ids;
}
