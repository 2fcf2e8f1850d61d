import { getProblemFacts, unlessAborted } from "@switchyard/rpc";
import type { Client } from "@connectrpc/connect";
import type { Engines } from "@switchyard/engines";
import type { FailureReason, ReadFailureReason } from "@switchyard/contracts/reasons";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractionRecord, Failure } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import { decodeTables } from "../../store/tables.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import type { StoredText } from "../../store/texts.ts";
import { contentDamaged } from "../files/content.ts";
import type { EngineKind } from "../../domain/engines/engines.ts";
import { findReview } from "../../domain/review/review.ts";
import { isPossible } from "../../domain/review/thresholds.ts";
import { chooseEngine } from "../engines/choice.ts";
import type { AttemptResult, ExtractionSubject, FileExtraction, TextExtraction } from "../engines/extraction.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import { findSchema } from "../targets.ts";

/** Extracts a file with the engine of its configuration. Writes nothing, and does not reject for expected failures. */
export type ExtractFile = (subject: ExtractionSubject, signal: AbortSignal) => Promise<FileExtraction>;

/** The dependencies of an attempt. */
export interface AttemptDependencies {
  files: FileStore;
  targets: Client<typeof TargetService>;
  extractFile: ExtractFile;
  engines: Pick<Engines, "find">;
  reviewThresholds: Pick<ReviewThresholdStore, "find">;
  /** The maximum number of extractions that wait for one language model in this process. */
  maxWaiting: number;
}

/** The maximum size of a stored result, in bytes. A document of the database has at most 16 MB. */
const maxResultBytes = 12 * 1024 * 1024;

/** Creates the function that extracts a file: it reads the text, unless it is cached, and finds the values. */
export function createFileExtraction({
  textCache,
  engines,
  extractions,
}: {
  textCache: DocumentTextCache;
  engines: Pick<Engines, "find">;
  extractions: Readonly<Record<EngineKind, TextExtraction>>;
}): ExtractFile {
  return async (subject, signal) => {
    const { file, configuration } = subject;
    const startedAt = performance.now();
    const reading = await unlessAborted(loadText(textCache, file, signal), signal);
    const readMs = performance.now() - startedAt;
    const end = (result: AttemptResult) => ({ result, leftOut: [], extractMs: readMs });
    if ("damaged" in reading) return end(failed(contentDamaged, reading.damaged));
    const { text, problem } = reading;
    if (problem !== null) return end(failed(problemName(problem.code), problem.message));
    const { kind } = chooseEngine(configuration, file.organizationId, engines);
    const extracted = await extractions[kind](subject, text, signal);
    const { outcome } = { outcome: undefined, ...extracted.result };
    const isTooLarge = outcome !== undefined && "tables" in outcome && outcome.tables.length > maxResultBytes;
    const result = isTooLarge ? failed("RESULT_TOO_LARGE", "There are too many values to store.") : extracted.result;
    return { ...extracted, result, extractMs: readMs + extracted.extractMs };
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

/** How an attempt is made. */
export interface AttemptOptions {
  signal: AbortSignal;
  /** The file of the extraction if the caller has just read it. */
  file?: FileRecord | undefined;
  /** Called before the attempt waits for a language model, so that others may work meanwhile. */
  leaveSlot: () => void;
}

/**
 * Creates the function that makes one attempt at an extraction. The function reads the file unless the caller passes it, writes nothing,
 * and does not reject for expected failures. If too many wait for a language model already, it is busy: nothing was attempted.
 */
export function createAttempt(dependencies: AttemptDependencies) {
  const { files, targets, extractFile, engines, reviewThresholds } = dependencies;
  const places = createPlaces(dependencies.maxWaiting);

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
    { signal, file: knownFile, leaveSlot }: AttemptOptions,
  ): Promise<AttemptResult | { busy: Failure }> {
    const configuration = await findSchema(targets, extraction.schemaId, { signal });
    if (configuration === null) return failed("SCHEMA_NOT_FOUND", "The extraction schema no longer exists.");
    const file = knownFile ?? (await files.find(extraction.fileId));
    if (file === null) return failed("FILE_NOT_FOUND", "The file no longer exists.");
    const { kind, name } = chooseEngine(configuration, file.organizationId, engines);
    const { projectId, modelId } = extraction;
    const subject = { file, configuration, model: { projectId, modelId }, crossFitted: false };
    const extract = async () => followPolicy((await extractFile(subject, signal)).result, modelId, configuration);
    if (kind !== "language-model") return extract();
    leaveSlot();
    const leave = places.enter(name);
    if (leave === undefined) {
      return { busy: { code: "ENGINE_UNREACHABLE", message: `Too many documents wait for the engine ${name}.` } };
    }
    return extract().finally(leave);
  };
}

/** Places for those that wait, of which each name has as many. */
function createPlaces(count: number): { enter(name: string): (() => void) | undefined } {
  const taken = new Map<string, number>();
  const add = (name: string, change: number): void => void taken.set(name, (taken.get(name) ?? 0) + change);
  return {
    enter(name) {
      if ((taken.get(name) ?? 0) >= count) return undefined;
      add(name, 1);
      return () => add(name, -1);
    },
  };
}

function failed(code: FailureReason, message: string): AttemptResult {
  return { outcome: { error: { code, message } } };
}

/** Returns the name of a reading problem in the API. */
function problemName(code: ReadProblem): ReadFailureReason {
  const [name] = Object.entries(ReadProblem).find(([, value]) => value === code) ?? [];
  return (name as ReadFailureReason | undefined) ?? "UNREADABLE_FILE";
}
