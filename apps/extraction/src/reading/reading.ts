import type { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { TextSource, type FactGroup, type HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Budget, ReadLimits } from "./limits.ts";
import type { PagePicture } from "./recognition/picture/page-picture.ts";

/** The name and version of the reader without recognition. The version must change if the same bytes give another text. */
const readerName = "switchyard-reader/15";
/** The version of what recognizes text in pictures. It must change if the same picture gives another text. */
const recognitionVersion = 3;

/**
 * Returns the name and version of a reader with these limits (`DocumentText.reader`), which contain the fingerprint of models that replace
 * the installed ones. Readers with other names may give another text for the same bytes.
 */
export function getReaderName({ maxPictures }: Pick<ReadLimits, "maxPictures">, fingerprint?: string): string {
  if (maxPictures === 0) return readerName;
  const models = fingerprint === undefined ? "" : `.${fingerprint}`;
  return `${readerName}+ocr.${recognitionVersion}.${maxPictures}${models}`;
}

/** A document as it was received. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly filename: string;
  /** The content type that the sender declared; may be empty or wrong. */
  readonly contentType: string;
}

/** A rectangle in fractions of the page (0 to 1) from its upper left corner. */
export interface ReadBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A word of a line. `offset` is its start in the line's text, in UTF-16 units. */
export interface ReadWord {
  readonly text: string;
  readonly offset: number;
  readonly box?: ReadBox;
  /** How confidently it was recognized in a picture, from 0 to 1. */
  readonly confidence?: number;
}

/** A line: its words, separated by single spaces or tabs. */
export interface ReadLine {
  readonly text: string;
  readonly words: readonly ReadWord[];
  readonly box?: ReadBox;
  /** The cells of a sheet that it comes from. `offset` is the start of the cell's text in the line's text, in UTF-16 units. */
  readonly cells?: readonly { readonly name: string; readonly offset: number }[];
}

/** A text that people cannot see. */
export interface ReadHiddenText {
  readonly text: string;
  readonly reason: HiddenReason;
  readonly box?: ReadBox;
}

/** A page. Width and height are in points, and 0 without a layout. */
export interface ReadPage {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly ReadLine[];
  /** Where its text comes from; from form fields if all of it does. */
  readonly source: TextSource;
  /** The file name of the attachment to which it belongs; empty for the document itself. */
  readonly attachment: string;
  /** The name of the sheet that the page is. */
  readonly sheet?: string;
  /** A picture of the page. If more text is recognized in it than the page has, that text is used instead. */
  readonly picture?: PagePicture;
  /** Whether the lines are the text layer of the picture, which is compared with it. */
  readonly isLayer?: boolean;
  /** The text that people cannot see, which the lines do not contain. */
  readonly hidden?: readonly ReadHiddenText[];
}

/** Whether a page has neither text nor a picture in which some could be recognized. */
export function isEmptyPage({ lines, picture }: ReadPage): boolean {
  return lines.length === 0 && picture === undefined;
}

/** A value that an electronic invoice states. `row` is the number of the tax rate or line item, from 0. */
export interface ReadFact {
  readonly concept: string;
  readonly value: string;
  /** The path of the XML element. */
  readonly element: string;
  readonly group: FactGroup;
  readonly row: number;
  /** The file name of the XML, if it is attached to the document; empty otherwise. */
  readonly attachment: string;
}

/** The value of a form field. `page` counts from 1. */
export interface ReadFormValue {
  readonly name: string;
  readonly value: string;
  readonly page: number;
  readonly box?: ReadBox;
}

/** The reason why a document was not read, with a sentence. */
export interface Problem {
  readonly code: ReadProblem;
  readonly message: string;
}

/** The result of the reader of a format. */
export interface Reading {
  readonly pages: readonly ReadPage[];
  readonly formValues: readonly ReadFormValue[];
  readonly warnings: readonly string[];
  /** What the first electronic invoice in the document states. */
  readonly facts?: readonly ReadFact[];
  readonly problem?: Problem;
}

/** The context of a reader. */
export interface ReadContext {
  readonly budget: Budget;
  /** The number of messages that contain the document. */
  readonly depth: number;
}

/** Creates the result for a document without a layout from pages of lines. */
export function createReading(pages: readonly (readonly ReadLine[])[], warnings: readonly string[] = []): Reading {
  return {
    pages: pages.map((lines) => ({ width: 0, height: 0, lines, source: TextSource.TEXT, attachment: "" })),
    formValues: [],
    warnings,
  };
}

/** Creates the result for a document that was not read. */
export function createProblemReading(code: ReadProblem, message: string, warnings: readonly string[] = []): Reading {
  return { pages: [], formValues: [], warnings, problem: { code, message } };
}
