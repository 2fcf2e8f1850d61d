import { LRUCache } from "lru-cache";
import { toCalibration } from "../../domain/engines/calibration.ts";
import type { Calibration } from "../../domain/engines/calibration.ts";
import { toReviewedChoices } from "../../domain/engines/recorded-choice.ts";
import type { RecordedChoice } from "../../domain/engines/recorded-choice.ts";
import type { ReviewedDocuments } from "../../store/reviews/reviewed-documents.ts";

/** A version of an engine and its language model. */
export type CalibratedEngine = Pick<RecordedChoice, "engine" | "modelName" | "version">;

/** How often the choices of engines were right, by the reviews of a classifier. */
export interface Calibrations {
  /** Counts the reviewed choices of an engine for a classifier. They are counted again after a review. */
  find(classifierId: string, engine: CalibratedEngine): Promise<Calibration>;
}

/** The number of engines of classifiers whose calibration is kept. */
const maxEntries = 5_000;

/** Creates the calibrations. */
export function createCalibrations(reviewed: Pick<ReviewedDocuments, "getVersion" | "listChoices">): Calibrations {
  const cache = new LRUCache<string, { version: string; calibration: Promise<Calibration> }>({ max: maxEntries });

  async function count(classifierId: string, engine: CalibratedEngine): Promise<Calibration> {
    const choices: boolean[] = [];
    for await (const batch of reviewed.listChoices(classifierId)) {
      for (const { routeId, choices: recorded } of batch) choices.push(...toReviewedChoices(recorded, routeId, engine));
    }
    return toCalibration(choices);
  }

  return {
    async find(classifierId, engine) {
      const version = await reviewed.getVersion(classifierId);
      const key = JSON.stringify([classifierId, engine.engine, engine.modelName, engine.version]);
      const cached = cache.get(key);
      if (cached?.version === version) return cached.calibration;
      const entry = { version, calibration: count(classifierId, engine) };
      cache.set(key, entry);
      entry.calibration.catch(() => {
        if (cache.peek(key) === entry) cache.delete(key);
      });
      return entry.calibration;
    },
  };
}
