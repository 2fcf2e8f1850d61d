import { parentPort, workerData } from "node:worker_threads";
import { create, toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { collectGarbageWhenIdle, createGarbageLimit } from "@switchyard/threads";
import { readDocument } from "./document.ts";
import type { ReadLimits } from "./limits.ts";
import type { Problem, Reading, ReadPage, Source } from "./reading.ts";
import { getTransferred } from "./recognition/picture/page-picture.ts";
import type { TextLayer } from "./recognition/layer/layer.ts";
import type { PagePicture } from "./recognition/picture/page-picture.ts";

/** The response of the worker for a document. `text` is a DocumentText in binary form. */
export interface WorkerResult {
  readonly contentType: string;
  readonly text: Uint8Array;
  readonly problem?: Problem;
  readonly warnings: readonly string[];
  readonly omissions: readonly string[];
  /** A sentence if the document contains text that people cannot see. */
  readonly hiddenText?: string;
  /** The pictures of pages that are still to be recognized, in the order of the pages. */
  readonly pictures: readonly PictureOfPage[];
  /** The number of characters of all pages without pictures, without white space. */
  readonly characters: number;
}

/** The picture of a page: its number, its attachment, and the number of characters that the page has besides. */
export interface PictureOfPage {
  readonly picture: PagePicture;
  readonly number: number;
  readonly attachment: string;
  readonly characters: number;
  /** The text layer of the picture, if the text of the page is one. */
  readonly layer?: TextLayer;
}

/** The settings of the worker: its limits, and the name and version of the reader. */
export interface WorkerSettings {
  readonly limits: ReadLimits;
  readonly reader: string;
}

const { limits, reader } = workerData as WorkerSettings;

function toText({ pages, formValues, facts = [] }: Reading): Uint8Array {
  const message = create(DocumentTextSchema, {
    reader,
    formValues: [...formValues],
    facts: [...facts],
    pages: pages.map(({ lines, picture: _, isLayer: _layer, hidden = [], ...page }, index) => ({
      ...page,
      hidden: [...hidden],
      number: index + 1,
      lines: lines.map(({ words, cells = [], ...line }) => ({ ...line, words: [...words], cells: [...cells] })),
    })),
  });
  return toBinary(DocumentTextSchema, message);
}

async function run(source: Source): Promise<void> {
  const document = await readDocument(source, limits);
  const pages = document.pages.map((page, index) => ({
    ...page,
    number: index + 1,
    characters: countCharacters(page),
  }));
  const pictures = pages.flatMap(({ picture, number, attachment, characters, isLayer, width, height, lines }) =>
    picture === undefined
      ? []
      : [{ picture, number, attachment, characters, ...(isLayer === true && { layer: { width, height, lines } }) }],
  );
  const found: WorkerResult = {
    contentType: document.contentType,
    text: toText(document),
    warnings: document.warnings,
    omissions: document.omissions,
    pictures,
    characters: sum(pages.filter((page) => page.picture === undefined).map((page) => page.characters)),
    ...(document.hiddenText !== undefined && { hiddenText: document.hiddenText }),
    ...(document.problem && { problem: document.problem }),
  };
  // Transferred, because copying would block the main thread.
  const buffers = new Set([
    found.text.buffer as ArrayBuffer,
    ...pictures.flatMap(({ picture }) => getTransferred(picture)),
  ]);
  parentPort?.postMessage({ result: found }, [...buffers]);
}

function countCharacters({ lines }: ReadPage): number {
  return sum(lines.map((line) => line.text.replace(/\s/g, "").length));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** What a thread that has read typical documents holds, in MiB. */
const usuallyHeldMb = 96;

collectGarbageWhenIdle();
const limitGarbage = createGarbageLimit(usuallyHeldMb);
// A rejection is an internal error. It ends the thread, which the pool notices.
parentPort?.on("message", (source: Source) => {
  // Otherwise it would depend on the document before whether this one takes too much memory.
  limitGarbage();
  void run(source);
});
parentPort?.postMessage({ ready: true });
