import { fromBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { LRUCache } from "lru-cache";
import { parentPort } from "node:worker_threads";
import { extractTables } from "../../domain/engines/local/extract.ts";
import { findReview } from "../../domain/review/review.ts";
import type { Review } from "../../domain/review/review.ts";
import type { Learned } from "../../domain/engines/local/learning/learn.ts";
import { encodeTables } from "../../store/tables.ts";
import { unpack } from "../learning/packing.ts";

/** A document and the configuration to extract with, both as serialized messages. */
export interface ExtractionJob {
  text: Uint8Array;
  configuration: Uint8Array;
  /** What was learned, packed, with its version. The bytes are shared between threads. */
  learned: { version: string; bytes: Uint8Array } | null;
}

/** The values, with the reason why a person should look at them, or an error. */
export type ExtractionResult = { tables: Uint8Array; review: Review | null } | { error: string };

const run = createRun();
parentPort?.on("message", (job: ExtractionJob) => {
  parentPort?.postMessage({ result: run(job) });
});
parentPort?.postMessage({ ready: true });

/** Creates the function that runs a job. It keeps what was learned last of a few models, unpacked, by version. */
function createRun(): (job: ExtractionJob) => ExtractionResult {
  const unpacked = new LRUCache<string, Learned>({ max: 8 });
  const getLearned = ({ version, bytes }: NonNullable<ExtractionJob["learned"]>): Learned => {
    const known = unpacked.get(version) ?? unpack<Learned>(bytes);
    unpacked.set(version, known);
    return known;
  };
  return ({ text, configuration, learned }) => {
    try {
      const schema = fromBinary(ConfigurationSchema, configuration);
      const known = learned === null ? undefined : getLearned(learned);
      const tables = extractTables(fromBinary(DocumentTextSchema, text), schema, known);
      return { tables: encodeTables(tables), review: findReview(tables, schema) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
}
