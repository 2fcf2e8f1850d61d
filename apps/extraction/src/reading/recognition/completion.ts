import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { DocumentTextSchema, TextPageSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { describeHidden } from "../hidden.ts";
import type { Problem } from "../reading.ts";
import type { WorkerResult } from "../worker.ts";
import type { RecognitionPool } from "./pool.ts";
import { isLegible } from "./quality.ts";
import type { RecognizedPage } from "./worker.ts";

/** A document whose pictures were recognized. */
export type CompletedResult = Omit<WorkerResult, "pictures" | "characters"> & {
  /** A sentence if the text of some pictures is poor. */
  readonly poorQuality?: string;
};

type Recognized = RecognizedPage & {
  readonly number: number;
  readonly ownCharacters: number;
  readonly isLayer: boolean;
};

/**
 * Recognizes the pictures of a document, one after the other, and puts their text in the place of the text that their pages had, which is
 * shorter. Pictures that cannot be recognized are left out; if the document has nothing else, the result contains the problem.
 */
export async function completeWithPictures(
  { pictures, characters, ...read }: WorkerResult,
  pool: RecognitionPool,
  signal?: AbortSignal,
): Promise<CompletedResult> {
  if (pictures.length === 0) return read;
  const pages: Recognized[] = [];
  for (const [index, { picture, number, attachment, layer, characters: ownCharacters }] of pictures.entries()) {
    const outcome = await pool.recognize({ picture, number, attachment, layer }, pictures.length - index, signal);
    const page = outcome.kind === "result" ? outcome.result : { problem: failures[outcome.kind] };
    pages.push({ ...page, number, ownCharacters, isLayer: layer !== undefined });
  }
  const replacing = pages.flatMap((page) =>
    page.page !== undefined && (page.isLayer || page.characters > page.ownCharacters) ? [page] : [],
  );
  const text = replacePages(read.text, new Map(replacing.map(({ number, page }) => [number, page])));
  const problem = read.problem ?? findProblem(characters, pages);
  const poor = replacing.filter(isPoor).map(({ number }) => number);
  const failed = pages.flatMap((page) =>
    page.problem === undefined
      ? []
      : page.isLayer
        ? [`The text of page ${page.number} was not compared with its picture. ${page.problem}`]
        : [`Page ${page.number} was left out. ${page.problem}`],
  );
  const hiding = replacing.filter((page) => page.hides).map(({ number }) => number);
  const hiddenText = read.hiddenText ?? (hiding.length > 0 ? describeHidden(hiding) : undefined);
  return {
    ...read,
    text,
    omissions: [...read.omissions, ...(problem === undefined ? failed : [])],
    ...(hiddenText !== undefined && { hiddenText }),
    ...(problem && { problem }),
    ...(poor.length > 0 && {
      poorQuality: `The text of the pictures is poor on ${poor.length === 1 ? "page" : "pages"} ${poor.join(", ")}.`,
    }),
  };
}

const failures = {
  time: "Recognizing the text of the picture took too long.",
  memory: "Recognizing the text of the picture took too much memory.",
  crash: "The text of the picture cannot be recognized.",
} as const;

/** Returns why a document that has only `characters` of its own text cannot be used; undefined if it can. */
function findProblem(characters: number, pages: readonly Recognized[]): Problem | undefined {
  const own = characters + pages.reduce((sum, page) => sum + page.ownCharacters, 0);
  const found = pages.flatMap((page) => (page.page === undefined || !page.looksLikeText ? [] : [page]));
  if (own > 0 || found.some((page) => !isPoor(page))) return undefined;
  if (found.length > 0) {
    const message = "The text in the pictures of the document was recognized too poorly to be used.";
    return { code: ReadProblem.LOW_OCR_QUALITY, message };
  }
  const failed = pages.find((page) => page.problem !== undefined);
  if (failed?.problem !== undefined) return { code: ReadProblem.UNREADABLE_FILE, message: failed.problem };
  return { code: ReadProblem.EMPTY_DOCUMENT, message: "There is no text in the document." };
}

function isPoor({ characters, confidence }: { characters: number; confidence: number }): boolean {
  return characters === 0 || !isLegible({ confidence });
}

/** Replaces pages of a text by their numbers. Both are in binary form, because decoding a long text takes too much time here. */
function replacePages(text: Uint8Array, pages: ReadonlyMap<number, Uint8Array>): Uint8Array {
  const reader = new BinaryReader(text);
  const writer = new BinaryWriter();
  for (let number = 0; reader.pos < reader.len;) {
    const start = reader.pos;
    const [field, type] = reader.tag();
    reader.skip(type, field);
    const isPage = field === DocumentTextSchema.field.pages.number;
    const page = isPage ? pages.get(++number) : undefined;
    const whole = text.subarray(start, reader.pos);
    if (page === undefined) writer.raw(whole);
    else writer.tag(field, WireType.LengthDelimited).bytes(addHidden(page, whole));
  }
  return writer.finish();
}

/** Adds the hidden text of the page that was replaced. */
function addHidden(page: Uint8Array, replaced: Uint8Array): Uint8Array {
  const field = new BinaryReader(replaced);
  field.tag();
  const content = field.bytes();
  const reader = new BinaryReader(content);
  const writer = new BinaryWriter().raw(page);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, type] = reader.tag();
    reader.skip(type, number);
    if (number === TextPageSchema.field.hidden.number) writer.raw(content.subarray(start, reader.pos));
  }
  return writer.finish();
}
