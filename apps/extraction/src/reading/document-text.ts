import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  DocumentTextSchema,
  HiddenTextSchema,
  TextLineSchema,
  TextPageSchema,
  TextSource,
} from "@switchyard/contracts/switchyard/extraction/v1/document";

import type { HiddenText } from "@switchyard/contracts/switchyard/extraction/v1/document";

/** The part of a text to return; everything by default. */
export interface TextOptions {
  readonly maxPages?: number;
  /** The maximum length in UTF-16 units. Characters are not split. */
  readonly maxCharacters?: number;
}

/** A page of a text. Each line ends with a newline, and wide gaps are tabs. */
export interface TextOfPage {
  readonly number: number;
  readonly source: TextSource;
  /** The file name of the attachment to which it belongs; empty for the document itself. */
  readonly attachment: string;
  readonly text: string;
  /** How confidently the text was recognized in a picture, from 0 to 1; undefined for other sources. */
  readonly confidence: number | undefined;
  /** The text that people cannot see, which `text` does not contain. */
  readonly hidden: readonly HiddenText[];
  /** The angle by which the picture of the page was turned before it was read, in degrees, clockwise. */
  readonly rotation: number;
}

// A text has up to half a million words, each with a box, and decoding it completely takes almost a second. Outside of worker threads it
// therefore stays in the binary form of its message, DocumentText, and only the required parts are decoded.
const inDocument = DocumentTextSchema.field;
const inPage = TextPageSchema.field;
const inLine = TextLineSchema.field;

/** Returns the number of pages of a text. Texts are DocumentText messages in binary form, here and below. */
export function pageCount(text: Uint8Array): number {
  let count = 0;
  for (const field of readFields(text)) {
    if (field.number === inDocument.pages.number) count += 1;
    field.skip();
  }
  return count;
}

/** Returns the name and version of the reader that created a text. */
export function getReader(text: Uint8Array): string {
  let reader = "";
  for (const field of readFields(text)) {
    if (field.number === inDocument.reader.number) reader = field.reader.string();
    else field.skip();
  }
  return reader;
}

/** Returns the pages of a text, without words and boxes. */
export function pageTexts(text: Uint8Array): TextOfPage[] {
  return [...readPages(text)].map((page) => {
    const found = {
      number: 0,
      source: TextSource.UNSPECIFIED as TextSource,
      attachment: "",
      text: "",
      confidence: undefined as number | undefined,
      hidden: [] as HiddenText[],
      rotation: 0,
    };
    for (const field of readFields(page)) {
      if (field.number === inPage.number.number) found.number = field.reader.int32();
      else if (field.number === inPage.source.number) found.source = field.reader.int32() as TextSource;
      else if (field.number === inPage.confidence.number) found.confidence = field.reader.double();
      else if (field.number === inPage.rotation.number) found.rotation = field.reader.double();
      else if (field.number === inPage.attachment.number) found.attachment = field.reader.string();
      else if (field.number === inPage.hidden.number)
        found.hidden.push(fromBinary(HiddenTextSchema, field.reader.bytes()));
      else if (field.number === inPage.lines.number) found.text += `${lineText(field.reader.bytes())}\n`;
      else field.skip();
    }
    return found;
  });
}

/** Returns the text of a document. Lines and pages are separated by newlines, and wide gaps are tabs. Reads no further than necessary. */
export function plainText(text: Uint8Array, options: TextOptions = {}): string {
  const { maxPages = Infinity, maxCharacters = Infinity } = options;
  let written = "";
  let pages = 0;
  for (const page of readPages(text)) {
    if (++pages > maxPages) break;
    for (const field of readFields(page)) {
      if (field.number !== inPage.lines.number) {
        field.skip();
        continue;
      }
      const line = lineText(field.reader.bytes());
      written += written === "" ? line : `\n${line}`;
      if (written.length > maxCharacters) return cut(written, maxCharacters);
    }
  }
  return written;
}

function* readPages(text: Uint8Array): Generator<Uint8Array> {
  for (const field of readFields(text)) {
    if (field.number === inDocument.pages.number) yield field.reader.bytes();
    else field.skip();
  }
}

function lineText(line: Uint8Array): string {
  const reader = new BinaryReader(line);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === inLine.text.number) return reader.string();
    reader.skip(type, number);
  }
  return "";
}

/** A field of a message. The same object is reused for every field of the message. */
interface Field {
  number: number;
  /** A reader at the field's value, which is read or skipped before the next field. */
  readonly reader: BinaryReader;
  skip(): void;
}

function* readFields(message: Uint8Array): Generator<Field> {
  const reader = new BinaryReader(message);
  let type = WireType.Varint;
  const field: Field = { number: 0, reader, skip: () => void reader.skip(type, field.number) };
  while (reader.pos < reader.len) {
    [field.number, type] = reader.tag();
    yield field;
  }
}

function cut(text: string, length: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end);
}
