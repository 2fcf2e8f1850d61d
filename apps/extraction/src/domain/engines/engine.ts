import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/** A document to extract, the configuration to extract it with, and what the engine knows from accepted files. */
export interface Subject<Knowledge> {
  readonly text: DocumentText;
  readonly configuration: Configuration;
  readonly knowledge: Knowledge | undefined;
}

/** A schema in JSON Schema, of the part that endpoints with structured output support. */
export interface AnswerSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: AnswerSchema;
}

/** What a language model is asked: instructions, and the content of a document, which is data. */
export interface Question {
  readonly promptVersion: string;
  readonly instructions: string;
  readonly content: string;
  /** The pages of the document in this question whose text is too poor to be relied on. */
  readonly poorPages: readonly number[];
  readonly answerName: string;
  readonly answerSchema: AnswerSchema;
}

/**
 * An engine that extracts documents. It is pure: what it has to ask a language model is asked for it, with the limits, retries and accounting
 * that all engines share, and its confidences come from calibration.
 */
export interface ExtractionEngine<Knowledge> {
  /** The version. A new one means that the same document may give other values. */
  readonly version: string;
  /** Returns what a language model has to be asked about a document: nothing for an engine that needs no language model. Never throws. */
  prepare(subject: Subject<Knowledge>): readonly Question[];
  /**
   * Returns the values of all tables of the configuration, given the answers to the questions of `prepare` in their order. The primary table
   * has exactly one row. Columns that are excluded from extraction are left out. Never throws, whatever the answers are.
   */
  extract(subject: Subject<Knowledge>, answers: readonly unknown[]): ExtractedTable[];
}
