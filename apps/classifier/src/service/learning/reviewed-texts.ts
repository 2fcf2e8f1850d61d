import { setTimeout as sleep } from "node:timers/promises";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import { getQuota, MAX_LEARNED_TEXTS, selectTexts } from "../../domain/learning/text-selection.ts";
import type { ReviewedDocuments } from "../../store/reviews/reviewed-documents.ts";

/** How long reading pauses, relative to the time that it took since the last pause. */
const relativePause = 3;
/** The number of texts that are read between two pauses. */
const textsAtOnce = 20;

/**
 * Reads the reviewed documents that a classifier learns from, in order of their IDs. `examples` has the number of examples of each route that
 * is learned (null: of no route). Together with them, they are at most `max`: the latest of the routes that have too many. Only these
 * are read, however many were reviewed, and with pauses, so that requests hardly wait for the store.
 */
export async function readReviewedTexts(
  reviewed: Pick<ReviewedDocuments, "count" | "listLatest">,
  classifierId: string,
  examples: ReadonlyMap<string | null, number>,
  max: number = MAX_LEARNED_TEXTS,
): Promise<LabeledText[]> {
  let resumedAt = performance.now();
  async function pause(): Promise<void> {
    await sleep(relativePause * (performance.now() - resumedAt));
    resumedAt = performance.now();
  }
  const counts = new Map<string | null, number>();
  for (const routeId of examples.keys()) {
    counts.set(routeId, await reviewed.count(classifierId, routeId));
    await pause();
  }
  const quota = getQuota(
    [...counts].map(([routeId, count]) => count + (examples.get(routeId) ?? 0)),
    max,
  );
  const texts: LabeledText[] = [];
  for (const [routeId, count] of counts) {
    const limit = Math.min(count, quota - (examples.get(routeId) ?? 0));
    if (limit <= 0) continue;
    for await (const text of reviewed.listLatest(classifierId, routeId, limit)) {
      if (texts.push(text) % textsAtOnce === 0) await pause();
    }
  }
  return selectTexts(texts, max);
}
