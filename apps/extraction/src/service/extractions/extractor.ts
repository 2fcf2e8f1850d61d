import { toBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import type { ExtractedValues, Failure } from "../../store/extractions.ts";
import type { LearnedState } from "../learning/learning.ts";
import type { ExtractionResult, ExtractionJob } from "./extractor-worker.ts";

/** The result of extracting a document: values as encoded by `encodeTables`, or a failure. `cause` is for the log. */
export type ExtractorResult = ExtractedValues | { failure: Failure; cause?: unknown };

/** Extracts values from texts without blocking this thread. */
export interface Extractor {
  /**
   * Extracts values from a DocumentText in binary form, with what was learned if it is given. Crashes, timeouts and exceeded memory limits are results. Rejects only for internal
   * errors, for example if the extractor is closed.
   */
  extract(text: Uint8Array, configuration: Configuration, learned?: LearnedState | null): Promise<ExtractorResult>;
  /** Ends the threads. Active extractions are rejected. */
  close(): Promise<void>;
}

/** The limits on concurrent documents and their resources. */
export interface ExtractorOptions {
  threads: number;
  timeoutMs: number;
  memoryMb: number;
  /** The maximum number of waiting documents. */
  maxWaiting: number;
}

/** Creates an extractor with worker threads, which start with the first documents and do not keep the process alive while they are idle. */
export function createExtractor({ threads, timeoutMs, memoryMb, maxWaiting }: ExtractorOptions): Extractor {
  const pool = createPool<ExtractionJob, ExtractionResult>({
    url: new URL("./extractor-worker.ts", import.meta.url),
    workerData: undefined,
    size: threads,
    timeoutMs,
    memoryMb,
    startTimeoutMs: 30_000,
    slowJobMs: 2_000,
    maxJobsPerWorker: 5_000,
    // A thread that has extracted typical documents holds 60 to 70 MiB.
    maxIdleMb: 96,
    maxWaitingJobs: maxWaiting,
  });

  function toResult(outcome: Outcome<ExtractionResult>): ExtractorResult {
    switch (outcome.kind) {
      case "result":
        if ("tables" in outcome.result) return outcome.result;
        return { failure: crashFailure, cause: outcome.result.error };
      case "time": {
        const message = `The extraction took longer than ${timeoutMs / 1000} seconds.`;
        return { failure: { code: "EXTRACTION_TIMEOUT", message } };
      }
      case "memory": {
        const message = `The extraction took more than ${memoryMb} MiB of memory.`;
        return { failure: { code: "EXTRACTION_MEMORY", message } };
      }
      case "crash":
        return { failure: crashFailure, cause: outcome.error };
    }
  }

  return {
    async extract(text, configuration, learned = null) {
      const outcome = await pool.run({
        text,
        configuration: toBinary(ConfigurationSchema, configuration),
        learned: learned && { version: learned.version, bytes: learned.bytes },
      });
      return toResult(outcome);
    },
    close: () => pool.close(),
  };
}

const crashFailure: Failure = { code: "EXTRACTION_FAILED", message: "The extraction was interrupted." };
