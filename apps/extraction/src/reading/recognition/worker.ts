import { parentPort, workerData } from "node:worker_threads";
import { create, toBinary } from "@bufbuild/protobuf";
import { TextPageSchema, TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ModelFiles } from "./model-files.ts";
import { createOnnxRecognizer } from "./recognizer.ts";
import type { PagePicture } from "./picture/page-picture.ts";

/** A picture of a page, and what the page has besides its text. */
export interface RecognitionJob {
  readonly picture: PagePicture;
  readonly number: number;
  readonly attachment: string;
}

/** The response of the worker. `page` is a TextPage in binary form. */
export type RecognizedPage =
  | {
      readonly page: Uint8Array;
      readonly characters: number;
      readonly confidence: number;
      readonly looksLikeText: boolean;
      readonly problem?: never;
    }
  | { readonly problem: string; readonly page?: never };

const recognizer = createOnnxRecognizer(workerData as ModelFiles);

async function run({ picture, number, attachment }: RecognitionJob): Promise<void> {
  const { text, problem } = await recognizer.recognize(picture);
  if (text === undefined) {
    parentPort?.postMessage({ result: { problem } satisfies RecognizedPage });
    return;
  }
  const lines = text.lines.map(({ words, cells: _, ...line }) => ({ ...line, words: [...words] }));
  const message = create(TextPageSchema, { ...text, number, attachment, lines, source: TextSource.OCR });
  const page = toBinary(TextPageSchema, message);
  const characters = text.lines.reduce((sum, line) => sum + line.text.replace(/\s/g, "").length, 0);
  const result: RecognizedPage = { page, characters, confidence: text.confidence, looksLikeText: text.looksLikeText };
  parentPort?.postMessage({ result }, [page.buffer]);
}

// A rejection is an internal error. It ends the thread, which the pool notices.
parentPort?.on("message", (job: RecognitionJob) => void run(job));
parentPort?.postMessage({ ready: true });
