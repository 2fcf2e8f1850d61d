import { getProblemFacts, unlessAborted } from "@switchyard/rpc";
import type { Client } from "@connectrpc/connect";
import type { FailureReason, ReadFailureReason } from "@switchyard/contracts/reasons";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractionRecord, Failure, Outcome } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import { decodeTables } from "../../store/tables.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import type { StoredText } from "../../store/texts.ts";
import { contentDamaged } from "../files/content.ts";
import { engine } from "../../domain/engines/local/version.ts";
import { findReview } from "../../domain/review/review.ts";
import { isPossible } from "../../domain/review/thresholds.ts";
import { mayLearn } from "../learning/learning.ts";
import type { LearnedState, Learning } from "../learning/learning.ts";
import type { Extractor } from "./extractor.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import { findSchema } from "../targets.ts";

/** The result of an attempt: final, or a failure after which another attempt may succeed. `cause` is for the log. */
export type AttemptResult = { outcome: Outcome } | { again: Failure; cause: unknown };

/** Extracts a file with a configuration and what was learned, if anything. Writes nothing, and does not reject for expected failures. */
export type ExtractFile = (
  file: FileRecord,
  configuration: Configuration,
  signal: AbortSignal,
  learned?: LearnedState | null,
) => Promise<AttemptResult>;

/** The dependencies of an attempt. */
export interface AttemptDependencies {
  files: FileStore;
  targets: Client<typeof TargetService>;
  extractFile: ExtractFile;
  learning: Pick<Learning, "current">;
  reviewThresholds: Pick<ReviewThresholdStore, "find">;
}

/** The maximum size of a stored result, in bytes. A document of the database has at most 16 MB. */
const maxResultBytes = 12 * 1024 * 1024;

/** Creates the function that extracts a file: it reads the text, unless it is cached, and finds the values. */
export function createFileExtraction({
  textCache,
  extractor,
}: {
  textCache: DocumentTextCache;
  extractor: Extractor;
}): ExtractFile {
  return async (file, configuration, signal, learned = null) => {
    const reading = await unlessAborted(loadText(textCache, file, signal), signal);
    if ("damaged" in reading) return failed(contentDamaged, reading.damaged);
    const { text, problem } = reading;
    if (problem !== null) return failed(problemName(problem.code), problem.message);
    const result = await unlessAborted(extractor.extract(text, configuration, learned), signal);
    if ("failure" in result) return { again: result.failure, cause: result.cause };
    if (result.tables.length > maxResultBytes) return failed("RESULT_TOO_LARGE", "There are too many values to store.");
    const used = { version: learned?.version ?? engine.version, learnedFrom: learned?.learnedFrom ?? 0 };
    return { outcome: { ...result, engine: used } };
  };
}

/** Returns the text of a file. For damaged bytes, returns their problem, because no further attempt can succeed. */
async function loadText(
  textCache: DocumentTextCache,
  file: FileRecord,
  signal: AbortSignal,
): Promise<StoredText | { damaged: string }> {
  try {
    return await textCache.get(file, signal);
  } catch (error) {
    const { reason, message } = getProblemFacts(error);
    if (reason !== contentDamaged) throw error;
    return { damaged: message };
  }
}

/**
 * Creates the function that makes one attempt at an extraction. The function reads the file unless the caller passes it, writes nothing,
 * and does not reject for expected failures.
 */
export function createAttempt(dependencies: AttemptDependencies) {
  const { files, targets, extractFile, learning, reviewThresholds } = dependencies;

  /** Decides by the review policy of the model, if it has one, whether a person should look at the values. */
  async function followPolicy(
    result: AttemptResult,
    modelId: string,
    configuration: Configuration,
  ): Promise<AttemptResult> {
    if (!("outcome" in result) || "error" in result.outcome) return result;
    const thresholds = await reviewThresholds.find(modelId);
    if (thresholds === null || !isPossible(thresholds)) return result;
    const review = findReview(decodeTables(result.outcome.tables), configuration, thresholds);
    return { outcome: { ...result.outcome, review } };
  }

  return async function attempt(
    extraction: ExtractionRecord,
    signal: AbortSignal,
    knownFile?: FileRecord,
  ): Promise<AttemptResult> {
    const configuration = await findSchema(targets, extraction.schemaId, { signal });
    if (configuration === null) return failed("SCHEMA_NOT_FOUND", "The extraction schema no longer exists.");
    const file = knownFile ?? (await files.find(extraction.fileId));
    if (file === null) return failed("FILE_NOT_FOUND", "The file no longer exists.");
    const learned = await loadLearned(learning, extraction, configuration);
    const result = await extractFile(file, configuration, signal, learned);
    return followPolicy(result, extraction.modelId, configuration);
  };
}

/** Returns what was learned of the model of an extraction, if its configuration lets the engine learn. */
async function loadLearned(
  learning: Pick<Learning, "current">,
  { projectId, modelId }: ExtractionRecord,
  configuration: Configuration,
): Promise<LearnedState | null> {
  return mayLearn(configuration) ? learning.current({ projectId, modelId }, configuration) : null;
}

function failed(code: FailureReason, message: string): AttemptResult {
  return { outcome: { error: { code, message } } };
}

/** Returns the name of a reading problem in the API. */
function problemName(code: ReadProblem): ReadFailureReason {
  const [name] = Object.entries(ReadProblem).find(([, value]) => value === code) ?? [];
  return (name as ReadFailureReason | undefined) ?? "UNREADABLE_FILE";
}
