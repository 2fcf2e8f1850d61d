import type { Client } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { FailureReason } from "@switchyard/contracts/reasons";
import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type {
  AcceptedFile,
  AcceptedFileService,
  ExtractFileResponse,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { getProblemFacts } from "@switchyard/rpc";
import { toValueTables } from "../../domain/cells/cell-value.ts";
import type { ValueTable } from "../../domain/cells/cell-value.ts";
import { packOutcomes } from "../../domain/comparison/outcome-grid.ts";
import { hasLabeledCell, scoreFile } from "../../domain/files/file-score.ts";
import type { FileScore } from "../../domain/files/file-score.ts";
import { countTyping } from "../../domain/summary/savings.ts";
import type { Usage } from "@switchyard/statistics";
import type { ExecutionRecord, Failure } from "../../store/execution-documents.ts";
import { packScore } from "../../store/results.ts";
import type { NewResult } from "../../store/results.ts";
import type { Plan } from "../executions/plan.ts";
import type { BenchmarkSettings } from "../settings.ts";
import { findPlaces, packPlaces } from "./cell-places.ts";

/** A file of an execution. */
export interface ExecutionFile {
  readonly execution: ExecutionRecord;
  readonly plan: Plan;
  readonly file: AcceptedFile;
  /** The index of the file in the plan. */
  readonly place: number;
}

/** The dependencies of a {@link FileEvaluator}. */
export interface FileEvaluatorDependencies {
  documents: Client<typeof AcceptedFileService>;
  settings: Pick<BenchmarkSettings, "extractTimeoutMs">;
  now: () => number;
}

/** Evaluates files. It does not write results. */
export interface FileEvaluator {
  /**
   * Extracts and scores a file; one without a labeled cell is left out, and not extracted. Rejects if another attempt may succeed, or if
   * the run cannot continue (see {@link toRunFailure}).
   */
  evaluate(subject: ExecutionFile, signal: AbortSignal): Promise<NewResult>;
  /** Returns the result of a file whose attempts all failed: its accepted values are missing. Rejects if they cannot be loaded now. */
  evaluateFailure(subject: ExecutionFile, error: unknown, signal: AbortSignal): Promise<NewResult>;
}

/** The values of an extraction, or the reason why there are none. */
type Extracted = Pick<ExtractFileResponse, "tables" | "extractMs" | "excludedFileIds" | "usage"> & {
  error?: Failure | undefined;
};

/** Creates the evaluator of files. */
export function createFileEvaluator({ documents, settings, now }: FileEvaluatorDependencies): FileEvaluator {
  /** Loads the accepted values of the plan. Returns null if they were deleted with their file. */
  async function loadExpected({ execution, file }: ExecutionFile, signal: AbortSignal): Promise<ValueTable[] | null> {
    const { fileId, revision } = file;
    try {
      const response = await documents.getAcceptedRevision(
        { fileId, revision, modelId: execution.modelId },
        { signal },
      );
      return toValueTables(response.tables);
    } catch (error) {
      if (getProblemFacts(error).code === Code.NotFound) return null;
      throw error;
    }
  }

  async function toResult(
    { execution, plan, file, place }: ExecutionFile,
    expected: ValueTable[] | null,
    extracted: Extracted,
  ): Promise<NewResult> {
    const error: Failure | null = extracted.error ?? (expected === null ? acceptedValuesGone : null);
    const score = scoreFile({
      fileId: file.fileId,
      configuration: plan.configuration,
      expected: expected ?? [],
      actual: error === null ? toValueTables(extracted.tables) : null,
      extractMs: error === null && extracted !== none ? extracted.extractMs : null,
    });
    return {
      record: {
        executionId: execution._id,
        fileId: file.fileId,
        filename: file.filename,
        place,
        status: getStatus(score),
        error: error === null ? null : { code: error.code, message: error.message },
        outcomes: { ...score.counts.outcomes },
        anls: score.anls,
        exact: score.exact,
        extractMs: score.extractMs,
        typing: countTyping(score.cells),
        usage: toUsage(extracted.usage),
        excludedFileIds: extracted.excludedFileIds,
        fence: execution.lease.fence,
        finishedAt: new Date(now()),
      },
      score: await packScore(score),
      grid: packOutcomes(plan.configuration, score.cells),
      places: await packPlaces(findPlaces(score.cells, extracted.tables)),
    };
  }

  return {
    async evaluate(subject, signal) {
      const { execution, plan, file } = subject;
      const expected = await loadExpected(subject, signal);
      if (expected !== null && !hasLabeledCell(plan.configuration, expected)) return toResult(subject, expected, none);
      const extracted = await documents.extractFile(
        {
          fileId: file.fileId,
          projectId: execution.projectId,
          // Older executions, and those of engines that do not learn, are not cross-fitted.
          modelId: execution.engine.crossFitted === true ? execution.modelId : "",
          configuration: plan.configuration,
          engine: execution.engine,
          // The engine must not use what it learned from this file.
          excludedFileIds: [file.fileId],
        },
        { signal, timeoutMs: settings.extractTimeoutMs },
      );
      return toResult(subject, expected, extracted);
    },
    async evaluateFailure(subject, error, signal) {
      const failure = { code: "EXTRACTION_FAILED" satisfies FailureReason, message: getProblemFacts(error).message };
      const expected = await loadExpected(subject, signal).catch((cause: unknown) => {
        if (getProblemFacts(cause).code === Code.Unavailable) throw cause;
        return null;
      });
      const { fileId } = subject.file;
      return toResult(subject, expected, { tables: [], extractMs: 0, excludedFileIds: [fileId], error: failure });
    },
  };
}

/** The values of a file that was not extracted, because it is left out. */
const none: Extracted = { tables: [], extractMs: 0, excludedFileIds: [] };

function toUsage(usage: ExtractFileResponse["usage"]): Usage | null {
  if (usage === undefined) return null;
  const { inputTokens, outputTokens, cost = null } = usage;
  return { inputTokens, outputTokens, cost };
}

const acceptedValuesGone: Failure = {
  code: "ACCEPTED_VALUES_GONE" satisfies FailureReason,
  message: "The accepted values were deleted with their file.",
};

function getStatus({ failed, leftOut }: FileScore): FileResultStatus {
  if (failed) return FileResultStatus.FAILED;
  return leftOut ? FileResultStatus.LEFT_OUT : FileResultStatus.SCORED;
}

/** Returns the failure of the run if an error means that it cannot continue. */
export function toRunFailure(error: unknown): Failure | undefined {
  const { reason, message } = getProblemFacts(error);
  return reason === "ENGINE_CHANGED" ? { code: reason, message } : undefined;
}
