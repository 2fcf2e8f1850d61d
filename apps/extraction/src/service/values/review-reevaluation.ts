import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Logger } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Storage, Sweep } from "@switchyard/storage";
import { isDeepStrictEqual } from "node:util";
import { findReview } from "../../domain/review/review.ts";
import type { Review } from "../../domain/review/review.ts";
import type { ReviewThresholds } from "../../domain/review/thresholds.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import { decodeTables } from "../../store/tables.ts";
import type { CurrentValues, CurrentValuesStore } from "../../store/values/current-values.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import type { CurrentValuesUpdater } from "./current-values-updater.ts";
import { createSchemaLookup } from "./schema-lookup.ts";

/** The dependencies of the work. */
export interface ReviewReevaluationDependencies {
  storage: Pick<Storage, "atomically">;
  reviewThresholds: ReviewThresholdStore;
  currentValues: Pick<CurrentValuesStore, "read">;
  extractions: ExtractionStore;
  targets: Client<typeof TargetService>;
  currentValuesUpdater: Pick<CurrentValuesUpdater, "update">;
  /** Whether no other process uses the database, so that this one sets all thresholds, and begins a round with each. */
  exclusive: boolean;
  logger: Pick<Logger, "error">;
}

const failed = "the review list could not follow review policies";
const intervalMs = 5_000;
/** The number of files that are read at once. */
const batch = 100;

/**
 * Creates the work that lets the review list follow the thresholds of review policies: it decides again about the last extraction of each file
 * of a model that is not accepted. It can be interrupted at any time, and several processes may do it at once.
 */
export function createReviewReevaluation(dependencies: ReviewReevaluationDependencies): Sweep {
  const { storage, reviewThresholds: thresholds, currentValues } = dependencies;
  const { extractions, targets, currentValuesUpdater, exclusive, logger } = dependencies;
  const getSchema = createSchemaLookup(targets);

  async function decide({ extraction, accepted }: CurrentValues, limits: ReviewThresholds): Promise<void> {
    if (accepted || extraction === null) return;
    const record = await extractions.find(extraction.id);
    const tables = await extractions.getTables(extraction.id);
    const schema = record === null ? null : await getSchema(record.schemaId);
    if (record === null || tables === null || schema === null) return;
    const review = findReview(decodeTables(tables), schema, limits);
    if (isDeepStrictEqual(review, toPlain(extraction.review))) return;
    await storage.atomically(async (session) => {
      await extractions.setReview(record._id, review, session);
      await currentValuesUpdater.update(record, {}, session);
    });
  }

  async function follow(modelId: string, limits: ReviewThresholds): Promise<void> {
    let position: string | undefined;
    for (let more = true; more;) {
      const start = position === undefined ? undefined : { position, inclusive: false };
      const page = await currentValues.read({ modelId, start }, batch);
      for (const values of page.found) await decide(values, limits);
      position = page.found.at(-1)?.position;
      more = page.more && position !== undefined;
    }
  }

  return createSweep({
    intervalMs,
    idles: () => exclusive,
    onError: (error) => logger.error({ err: error }, failed),
    async work() {
      let hasFailed = false;
      for (const record of await thresholds.listPending(batch)) {
        try {
          await follow(record._id, record);
          await thresholds.settle(record);
        } catch (error) {
          // A model whose policy cannot be followed must not block the others.
          hasFailed = true;
          logger.error({ modelId: record._id, err: error }, failed);
        }
      }
      return hasFailed ? intervalMs : Infinity;
    },
  });
}

/** Returns a stored review as it was before it was stored. */
function toPlain(review: Review | null): Review | null {
  if (review === null) return null;
  const { reason, message, confidence, urgency } = review;
  return { reason, message, confidence: confidence ?? null, urgency };
}
