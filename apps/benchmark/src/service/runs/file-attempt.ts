import type { Client } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type {
  AcceptedFile,
  AcceptedFileService,
  ExtractFileResponse,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { getProblemFacts } from "@switchyard/rpc";
import { valueTables } from "../../domain/cells/cell-value.ts";
import type { ValueTable } from "../../domain/cells/cell-value.ts";
import { scoreFile } from "../../domain/files/file-score.ts";
import type { ExecutionRecord, Failure } from "../../store/execution-documents.ts";
import { packScore } from "../../store/results.ts";
import type { NewResult } from "../../store/results.ts";
import type { Plan } from "../executions/plan.ts";
import type { BenchmarkSettings } from "../settings.ts";

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

/** What becomes of a file. Nothing of it writes. */
export interface FileAttempt {
  /** Extracts and scores a file once. Rejects when another attempt may help, or when the run cannot go on: `toRunFailure` tells which. */
  attempt(subject: FileOfExecution, signal: AbortSignal): Promise<NewResult>;
  /** The result of a file whose extraction broke off every time: all its accepted values are missing. Rejects with Unavailable. */
  broken(subject: FileOfExecution, error: unknown, signal: AbortSignal): Promise<NewResult>;
}

/** What an extraction gave: its values, or why there are none. */
type Extracted = Pick<ExtractFileResponse, "tables" | "extractMs" | "excludedFileIds"> & {
  error?: Failure | undefined;
};

/** Creates what extracts and scores files. */
export function createFileAttempt({ documents, settings, now }: FileAttemptDependencies): FileAttempt {
  /** The accepted values that were fixed at creation; null when they went with their file. */
  async function loadExpected({ execution, file }: FileOfExecution, signal: AbortSignal): Promise<ValueTable[] | null> {
    const { fileId, revision } = file;
    try {
      const answer = await documents.getAcceptedRevision({ fileId, revision, modelId: execution.modelId }, { signal });
      return valueTables(answer.tables);
    } catch (error) {
      if (getProblemFacts(error).code === Code.NotFound) return null;
      throw error;
    }
  }

  async function getResult(
    { execution, plan, file, place }: FileOfExecution,
    expected: ValueTable[] | null,
    extracted: Extracted,
  ): Promise<NewResult> {
    const error: Failure | null = extracted.error ?? (expected === null ? acceptedValuesGone : null);
    const score = scoreFile({
      fileId: file.fileId,
      configuration: plan.configuration,
      expected: expected ?? [],
      actual: error === null ? valueTables(extracted.tables) : null,
      extractMs: error === null ? extracted.extractMs : null,
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
        excludedFileIds: extracted.excludedFileIds,
        fence: execution.lease.fence,
        finishedAt: new Date(now()),
      },
      score: await packScore(score),
    };
  }

  return {
    async attempt(subject, signal) {
      const { execution, plan, file } = subject;
      const expected = await loadExpected(subject, signal);
      const extracted = await documents.extractFile(
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
      return getResult(subject, expected, extracted);
    },
    async broken(subject, error, signal) {
      const failure = { code: "EXTRACTION_FAILED", message: getProblemFacts(error).message };
      const expected = await loadExpected(subject, signal).catch((cause: unknown) => {
        if (getProblemFacts(cause).code === Code.Unavailable) throw cause;
        return null;
      });
      const { fileId } = subject.file;
      return getResult(subject, expected, { tables: [], extractMs: 0, excludedFileIds: [fileId], error: failure });
    },
  };
}

const acceptedValuesGone: Failure = {
  code: "ACCEPTED_VALUES_GONE",
  message: "The accepted values were deleted with their file.",
};

/** Why a run cannot go on, when that is what an error says. */
export function toRunFailure(error: unknown): Failure | undefined {
  const { reason, message } = getProblemFacts(error);
  return reason === "ENGINE_CHANGED" ? { code: reason, message } : undefined;
}
