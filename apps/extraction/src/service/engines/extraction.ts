import type { FailureReason } from "@switchyard/contracts/reasons";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Outcome, Failure } from "../../store/extractions.ts";
import type { FileRecord } from "../../store/files.ts";
import type { TaughtModel } from "../learning/entry.ts";

/** What is extracted, and whose accepted files the engine may learn from. */
export interface ExtractionSubject {
  readonly file: FileRecord;
  readonly configuration: Configuration;
  /** The model whose accepted files teach the engine; null for none. */
  readonly model: TaughtModel | null;
  /** Whether nothing may be learned from the file itself, its copies, and files of the same issuer. */
  readonly crossFitted: boolean;
}

/** The result of an attempt: final, or a failure after which another attempt may succeed. `cause` is for the log. */
export type AttemptResult = { outcome: Outcome } | { again: Failure; cause: unknown };

/** An attempt with the files that the engine was not allowed to learn from, and its duration without the time for learning. */
export interface FileExtraction {
  readonly result: AttemptResult;
  readonly leftOut: readonly string[];
  readonly extractMs: number;
}

/** Extracts the text of a file, a DocumentText in binary form, with one engine. Writes nothing, and does not reject for expected failures. */
export type TextExtraction = (
  subject: ExtractionSubject,
  text: Uint8Array,
  signal: AbortSignal,
) => Promise<FileExtraction>;

/** Extracts a file with the engine of its configuration. Writes nothing, and does not reject for expected failures. */
export type ExtractFile = (subject: ExtractionSubject, signal: AbortSignal) => Promise<FileExtraction>;

/** Returns the result of an attempt that failed permanently. */
export function failed(code: FailureReason, message: string): AttemptResult {
  return { outcome: { error: { code, message } } };
}
