import { fromBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { parentPort } from "node:worker_threads";
import { extractTables } from "../../domain/extract.ts";
import { findReview } from "../../domain/review/review.ts";
import type { Review } from "../../domain/review/review.ts";
import { encodeTables } from "../../store/tables.ts";

/** A document and the configuration to extract with, both as serialized messages. */
export interface ExtractionJob {
  text: Uint8Array;
  configuration: Uint8Array;
}

/** The values, with the reason why a person should look at them, or an error. */
export type ExtractionResult = { tables: Uint8Array; review: Review | null } | { error: string };

parentPort?.on("message", (job: ExtractionJob) => {
  parentPort?.postMessage({ result: run(job) });
});
parentPort?.postMessage({ ready: true });

function run({ text, configuration }: ExtractionJob): ExtractionResult {
  try {
    const schema = fromBinary(ConfigurationSchema, configuration);
    const tables = extractTables(fromBinary(DocumentTextSchema, text), schema);
    return { tables: encodeTables(tables), review: findReview(tables, schema) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
