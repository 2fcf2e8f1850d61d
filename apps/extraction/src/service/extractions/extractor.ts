import { toBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import type { ExtractedValues, Failure } from "../../store/extractions.ts";
import type { Question } from "../../domain/engines/engine.ts";
import type { EngineWork, ExtractionResult, ExtractionJob } from "./extractor-worker.ts";

/** A failure, with its cause for the log. */
interface Failed {
  failure: Failure;
  cause?: unknown;
}

/** The result of extracting a document: values as encoded by `encodeTables`, or a failure. */
export type ExtractorResult = ExtractedValues | Failed;

/** Extracts values from texts without blocking this thread. */
export interface Extractor {
  /**
   * Extracts values from a DocumentText in binary form, by default with the local engine and nothing learned. Crashes, timeouts and exceeded
   * memory limits are results. Rejects only for internal errors, for example if the extractor is closed.
   */
  extract(text: Uint8Array, configuration: Configuration, work?: EngineWork): Promise<ExtractorResult>;
  /** Returns what a language model has to be asked about a document; otherwise like `extract`. */
  prepare(
    text: Uint8Array,
    configuration: Configuration,
    work: EngineWork,
  ): Promise<{ questions: readonly Question[] } | Failed>;
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

  async function run(
    kind: ExtractionJob["kind"],
    text: Uint8Array,
    configuration: Configuration,
    work: EngineWork,
  ): Promise<Exclude<ExtractionResult, { error: string }> | Failed> {
    const schema = toBinary(ConfigurationSchema, configuration);
    return toResult(await pool.run({ kind, text, configuration: schema, work: toPlain(work) }));
  }

  function toResult(outcome: Outcome<ExtractionResult>): Exclude<ExtractionResult, { error: string }> | Failed {
    switch (outcome.kind) {
      case "result":
        if (!("error" in outcome.result)) return outcome.result;
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
    async extract(text, configuration, work = { engine: "local", learned: null }) {
      const result = await run("extract", text, configuration, work);
      return "questions" in result ? { failure: crashFailure } : result;
    },
    async prepare(text, configuration, work) {
      const result = await run("prepare", text, configuration, work);
      return "tables" in result ? { failure: crashFailure } : result;
    },
    close: () => pool.close(),
  };
}

/** Returns work with nothing but what threads exchange. */
function toPlain(work: EngineWork): EngineWork {
  if (work.engine !== "local") return work;
  const { learned } = work;
  return { engine: "local", learned: learned && { version: learned.version, bytes: learned.bytes } };
}

const crashFailure: Failure = { code: "EXTRACTION_FAILED", message: "The extraction was interrupted." };
