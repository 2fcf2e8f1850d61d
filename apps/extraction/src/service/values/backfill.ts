import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Logger } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Storage, Sweep } from "@switchyard/storage";
import { findReview } from "../../domain/review/review.ts";
import type { Review } from "../../domain/review/review.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import { decodeTables } from "../../store/tables.ts";
import type { ServiceSettings } from "../settings.ts";
import type { CurrentValuesUpdater } from "./current-values-updater.ts";
import { createSchemaLookup } from "./schema-lookup.ts";

/** The dependencies of the backfill. */
export interface BackfillDependencies {
  storage: Pick<Storage, "atomically">;
  accepted: AcceptedStore;
  extractions: ExtractionStore;
  targets: Client<typeof TargetService>;
  currentValuesUpdater: Pick<CurrentValuesUpdater, "update">;
  logger: Pick<Logger, "error" | "info">;
  settings: Pick<ServiceSettings, "cleanupIntervalMs">;
}

/** The number of documents that are found by one query. */
const batch = 100;

/**
 * Creates the work that derives reviews and current values from extractions and accepted values that were stored by earlier versions. It
 * can be interrupted at any time, and several processes may do it at once.
 */
export function createBackfill(dependencies: BackfillDependencies): Sweep {
  const { storage, accepted, extractions, targets, currentValuesUpdater, logger, settings } = dependencies;

  const getSchema = createSchemaLookup(targets);

  async function fillExtraction(record: ExtractionRecord, schema: Configuration | null): Promise<void> {
    const tables = await extractions.getTables(record._id);
    const review: Review | null = tables === null || schema === null ? null : findReview(decodeTables(tables), schema);
    await storage.atomically(async (session) => {
      await extractions.setReview(record._id, review, session);
      await currentValuesUpdater.update(record, {}, session);
    });
  }

  return createSweep({
    intervalMs: settings.cleanupIntervalMs,
    onError: (error) => logger.error({ err: error }, "derivation of current values failed"),
    async work() {
      let filled = 0;
      for (let found = batch; found === batch;) {
        const records = await extractions.findUnreviewed(batch);
        for (const record of records) await fillExtraction(record, await getSchema(record.schemaId));
        found = records.length;
        filled += found;
      }
      for (let found = batch; found === batch;) {
        const records = await accepted.findUnlisted(batch);
        for (const record of records) {
          await storage.atomically(async (session) => {
            await accepted.markListed(record.fileId, record.modelId, session);
            await currentValuesUpdater.update(record, {}, session);
          });
        }
        found = records.length;
        filled += found;
      }
      if (filled > 0) logger.info({ filled }, "current values of earlier versions derived");
    },
  });
}
