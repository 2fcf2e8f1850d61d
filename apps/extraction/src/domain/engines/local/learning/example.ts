import type { Value } from "@bufbuild/protobuf/wkt";
import type { ComparedColumn } from "@switchyard/matching";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";

/** A file whose values are accepted. */
export interface LabeledFile {
  readonly id: string;
  readonly document: DocumentText;
  /**
   * The accepted values of the primary table by the slugs of columns. A column that is absent is not labeled; null means that the document
   * has no value.
   */
  readonly values: Readonly<Record<string, Value>>;
}

/** A candidate in the form in which columns are learned: numbers only. */
export interface Option {
  /** The places of its features. */
  readonly features: Uint32Array;
  /** The score of the rules relative to that of their answer: 1 for the answer. */
  readonly prior: number;
  /** The hash of its normalized value. */
  readonly value: number;
  /** The hash of what surrounds it: the text before it, or the line above. */
  readonly anchor: number;
}

/** The candidates of a document for a column, with the accepted value. */
export interface Example {
  readonly id: string;
  /** How values of the column are compared. */
  readonly column: ComparedColumn;
  /** The hashes of the lines at the head of the document, by which documents of the same issuer are recognized. */
  readonly heads: Uint32Array;
  readonly options: readonly Option[];
  /** Which options have the accepted value. */
  readonly right: readonly boolean[];
  /** Whether the answer of the rules alone is right. */
  readonly ruleRight: boolean;
  /** The confidence of the rules in their answer; 0 if they have none. */
  readonly ruleConfidence: number;
  /** The accepted text of a text column, or undefined. */
  readonly accepted: string | undefined;
  /** What the forms of printing can be learned from: the text of the right option, line by line. */
  readonly form: FormExample | undefined;
}

/** How an accepted text was printed. */
export interface FormExample {
  /** The lines of the candidate. */
  readonly lines: readonly string[];
  /** The text of the first line directly before the candidate, and of the last line directly after it; at most eight characters. */
  readonly before: string;
  readonly after: string;
  /** The normalized value: a date as "YYYY-MM-DD", or a number. */
  readonly value: string | number;
}
