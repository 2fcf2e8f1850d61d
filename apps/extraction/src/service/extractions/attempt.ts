import type { Client } from "@connectrpc/connect";
import type { Engines } from "@switchyard/engines";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ExtractionRecord, Failure } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import { decodeTables } from "../../store/tables.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import { findReview } from "../../domain/review/review.ts";
import { isPossible } from "../../domain/review/thresholds.ts";
import { chooseEngine } from "../engines/choice.ts";
import { failed } from "../engines/extraction.ts";
import type { AttemptResult, ExtractFile } from "../engines/extraction.ts";
import { findSchema } from "../targets.ts";

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

/** Places for those that wait, of which each name has this many. */
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
