import type { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Budget } from "./limits.ts";

/** The name and version of this reader, as DocumentText.reader has it; another text for the same bytes needs another version. */
export const readerName = "switchyard-reader/5";

/** A document as it came. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly filename: string;
  /** What the sender says it is; may be empty or wrong. */
  readonly contentType: string;
}

/** A rectangle in fractions of the page (0 to 1) from its upper left corner. */
export interface ReadBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A word of a line; `offset` is where it begins in the line's text, in UTF-16 units. */
export interface ReadWord {
  readonly text: string;
  readonly offset: number;
  readonly box?: ReadBox;
}

/** A line: its words with single blanks or tabs between them. */
export interface ReadLine {
  readonly text: string;
  readonly words: readonly ReadWord[];
  readonly box?: ReadBox;
}

/** A page; width and height in points, 0 without a layout. */
export interface ReadPage {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly ReadLine[];
  /** Whether all of its text comes from form fields. */
  readonly form: boolean;
  /** The file name of the attachment it belongs to; empty for the document itself. */
  readonly attachment: string;
}

/** The value of a form field; `page` counts from 1 in the pages beside it. */
export interface ReadFormValue {
  readonly name: string;
  readonly value: string;
  readonly page: number;
  readonly box?: ReadBox;
}

/** Why a document was not read, with a sentence for people. */
export interface Problem {
  readonly code: ReadProblem;
  readonly message: string;
}

/** What one format's reader found in a document. */
export interface Reading {
  readonly pages: readonly ReadPage[];
  readonly formValues: readonly ReadFormValue[];
  readonly warnings: readonly string[];
  readonly problem?: Problem;
}

/** What the readers of formats are given besides the document. */
export interface ReadContext {
  readonly budget: Budget;
  /** How many messages the document is inside of. */
  readonly depth: number;
}

/** A document without a layout, as pages of lines. */
export function createReading(pages: readonly (readonly ReadLine[])[], warnings: readonly string[] = []): Reading {
  return {
    pages: pages.map((lines) => ({ width: 0, height: 0, lines, form: false, attachment: "" })),
    formValues: [],
    warnings,
  };
}

/** A document that was not read. */
export function createProblemReading(code: ReadProblem, message: string, warnings: readonly string[] = []): Reading {
  return { pages: [], formValues: [], warnings, problem: { code, message } };
}
