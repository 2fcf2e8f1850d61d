import type { Client } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { AcceptedFile, AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { factsOf } from "@switchyard/rpc";
import { valueTables } from "../domain/cell-value.ts";
import type { ValueTable } from "../domain/cell-value.ts";
import { scoreFile } from "../domain/file-score.ts";
import type { ExecutionRecord, Failure } from "../store/execution-documents.ts";
import { packScore } from "../store/results.ts";
import type { NewResult } from "../store/results.ts";
import type { Plan } from "./plan.ts";
import type { BenchmarkSettings } from "./settings.ts";

/** A file of an execution. */
export interface FileOfExecution {
  readonly execution: ExecutionRecord;
  readonly plan: Plan;
  readonly file: AcceptedFile;
  readonly place: number;
}

/** What an attempt needs. */
export interface FileAttemptDependencies {
  documents: Client<typeof AcceptedFileService>;
  settings: Pick<BenchmarkSettings, "extractTimeoutMs">;
  now: () => number;
}

/** Extracts and scores a file once. Rejects when another attempt may help, or when the run cannot go on: `endOfRun` tells which. */
export type FileAttempt = (subject: FileOfExecution, signal: AbortSignal) => Promise<NewResult>;

/** Creates the function that extracts and scores a file. It writes nothing. */
export function createFileAttempt({ documents, settings, now }: FileAttemptDependencies): FileAttempt {
  /** The accepted values that were fixed at creation; null when they went with their file. */
  async function expectedOf({ execution, file }: FileOfExecution, signal: AbortSignal): Promise<ValueTable[] | null> {
    const { fileId, revision } = file;
    try {
      const answer = await documents.getAcceptedRevision({ fileId, revision, modelId: execution.modelId }, { signal });
      return valueTables(answer.tables);
    } catch (error) {
      if (factsOf(error).code === Code.NotFound) return null;
      throw error;
    }
  }

  return async (subject, signal) => {
    const { execution, plan, file, place } = subject;
    const expected = await expectedOf(subject, signal);
    const answer = await documents.extractFile(
      {
        fileId: file.fileId,
        projectId: execution.projectId,
        configuration: plan.configuration,
        engine: execution.engine,
        // What the engine learned from this very file must not help it.
        excludedFileIds: [file.fileId],
      },
      { signal, timeoutMs: settings.extractTimeoutMs },
    );
    const error: Failure | null = answer.error ?? (expected === null ? acceptedValuesGone : null);
    const score = scoreFile({
      fileId: file.fileId,
      configuration: plan.configuration,
      expected: expected ?? [],
      actual: error === null ? valueTables(answer.tables) : null,
      extractMs: error === null ? answer.extractMs : null,
    });
    return {
      record: {
        executionId: execution._id,
        fileId: file.fileId,
        filename: file.filename,
        place,
        status: error === null ? FileResultStatus.SCORED : FileResultStatus.FAILED,
        error: error === null ? null : { code: error.code, message: error.message },
        outcomes: { ...score.counts.outcomes },
        anls: score.anls,
        exact: score.exact,
        extractMs: score.extractMs,
        excludedFileIds: answer.excludedFileIds,
        fence: execution.lease.fence,
        finishedAt: new Date(now()),
      },
      score: await packScore(score),
    };
  };
}

const acceptedValuesGone: Failure = {
  code: "ACCEPTED_VALUES_GONE",
  message: "The accepted values were deleted with their file.",
};

/** Why a run cannot go on, when that is what an error says. */
export function endOfRun(error: unknown): Failure | undefined {
  const { reason, message } = factsOf(error);
  return reason === "ENGINE_CHANGED" ? { code: reason, message } : undefined;
}

/** The result of a file whose extraction broke off every time: there is nothing to score. */
export async function brokenResult(
  { execution, plan, file, place }: FileOfExecution,
  error: unknown,
  now: number,
): Promise<NewResult> {
  const { fileId } = file;
  const score = scoreFile({ fileId, configuration: plan.configuration, expected: [], actual: null });
  return {
    record: {
      executionId: execution._id,
      fileId,
      filename: file.filename,
      place,
      status: FileResultStatus.FAILED,
      error: { code: "EXTRACTION_FAILED", message: factsOf(error).message },
      outcomes: { ...score.counts.outcomes },
      anls: score.anls,
      exact: score.exact,
      extractMs: null,
      excludedFileIds: [fileId],
      fence: execution.lease.fence,
      finishedAt: new Date(now),
    },
    score: await packScore(score),
  };
}
