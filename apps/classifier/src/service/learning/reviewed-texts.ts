import type { LabelledText } from "../../domain/learning/labelled-text.ts";
import { getQuota, MAX_LEARNED_TEXTS, selectTexts } from "../../domain/learning/text-selection.ts";
import type { ReviewedDocuments } from "../../store/reviews/reviewed-documents.ts";

/**
 * Reads the reviewed documents that a classifier learns from, in order of their IDs. `examples` has the number of examples of each route that
 * is learned (null: of no route). Together with them, they are at most `max`: the latest of the routes that have too many. Only these
 * are read, however many were reviewed.
 */
export async function readReviewedTexts(
  reviewed: Pick<ReviewedDocuments, "count" | "getLatest">,
  classifierId: string,
  examples: ReadonlyMap<string | null, number>,
  max: number = MAX_LEARNED_TEXTS,
): Promise<LabelledText[]> {
  const counts = new Map<string | null, number>();
  for (const routeId of examples.keys()) counts.set(routeId, await reviewed.count(classifierId, routeId));
  const quota = getQuota(
    [...counts].map(([routeId, count]) => count + (examples.get(routeId) ?? 0)),
    max,
  );
  const texts: LabelledText[] = [];
  for (const [routeId, count] of counts) {
    const limit = Math.min(count, quota - (examples.get(routeId) ?? 0));
    if (limit > 0) texts.push(...(await reviewed.getLatest(classifierId, routeId, limit)));
  }
  return selectTexts(texts, max);
}
