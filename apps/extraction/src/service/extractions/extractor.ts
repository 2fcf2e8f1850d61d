import { toBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import type { Failure } from "../../store/extractions.ts";
import type { ExtractionAnswer, ExtractionJob } from "./extractor-worker.ts";

/** What extracting one document gave: values as `encodeTables` has them, or why there are none; `cause` is for the log. */
export type ExtractorResult = { tables: Uint8Array } | { failure: Failure; cause?: unknown };

/** Extracts values from texts without holding up this thread. */
export interface Extractor {
  /** Extracts from a DocumentText in binary form. A crash, too long a time and too much memory are answers; rejects only for faults of ours, such as a closed extractor. */
  extract(text: Uint8Array, configuration: Configuration): Promise<ExtractorResult>;
  /** Ends the threads; what is under way is rejected. */
  close(): Promise<void>;
}

/** How many documents at once, and what one may use. */
export interface ExtractorOptions {
  threads: number;
  timeoutMs: number;
  memoryMb: number;
  /** How many documents may wait. */
  maxWaiting: number;
}

/** Creates an extractor on worker threads, which begin with the first documents and do not keep the process alive while idle. */
export function createExtractor({ threads, timeoutMs, memoryMb, maxWaiting }: ExtractorOptions): Extractor {
  const pool = createPool<ExtractionJob, ExtractionAnswer>({
    url: new URL("./extractor-worker.ts", import.meta.url),
    workerData: undefined,
    size: threads,
    timeoutMs,
    memoryMb,
    startTimeoutMs: 30_000,
    slowJobMs: 2_000,
    maxJobsPerWorker: 5_000,
    // A thread that has extracted ordinary documents holds some 60 to 70 MiB.
    maxIdleMb: 96,
    maxWaitingJobs: maxWaiting,
  });

  function toResult(outcome: Outcome<ExtractionAnswer>): ExtractorResult {
    switch (outcome.kind) {
      case "answer":
        if ("tables" in outcome.answer) return outcome.answer;
        return { failure: brokenOff, cause: outcome.answer.error };
      case "time": {
        const message = `The extraction took longer than ${timeoutMs / 1000} seconds.`;
        return { failure: { code: "EXTRACTION_TIMEOUT", message } };
      }
      case "memory": {
        const message = `The extraction took more than ${memoryMb} MiB of memory.`;
        return { failure: { code: "EXTRACTION_MEMORY", message } };
      }
      case "crash":
        return { failure: brokenOff, cause: outcome.error };
    }
  }

  return {
    async extract(text, configuration) {
      const outcome = await pool.run({
        text,
        configuration: toBinary(ConfigurationSchema, configuration),
      });
      return toResult(outcome);
    },
    close: () => pool.close(),
  };
}

const brokenOff: Failure = { code: "EXTRACTION_FAILED", message: "The extraction broke off." };
