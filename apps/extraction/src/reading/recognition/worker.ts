import { parentPort, workerData } from "node:worker_threads";
import { create, toBinary } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  TextPageSchema,
  TextSource,
  type TextLineSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ModelFiles } from "./model-files.ts";
import { createOnnxRecognizer } from "./recognizer.ts";
import type { ReadLine } from "../reading.ts";
import { isLegible } from "./quality.ts";
import { compareLayer } from "./layer/layer.ts";
import type { TextLayer } from "./layer/layer.ts";
import type { PagePicture } from "./picture/page-picture.ts";

/** A picture of a page, and what the page has besides its text. */
export interface RecognitionJob {
  readonly picture: PagePicture;
  readonly number: number;
  readonly attachment: string;
  /** The text layer of the picture. Where it agrees with the picture, it is the text of the page. */
  readonly layer?: TextLayer | undefined;
}

/** The response of the worker. `page` is a TextPage in binary form. */
export type RecognizedPage =
  | {
      readonly page: Uint8Array;
      readonly characters: number;
      readonly confidence: number;
      readonly looksLikeText: boolean;
      /** Whether text of the layer is hidden, because the picture does not show it. */
      readonly hides: boolean;
      readonly problem?: never;
    }
  | { readonly problem: string; readonly page?: never };

const recognizer = createOnnxRecognizer(workerData as ModelFiles);

async function run({ picture, number, attachment, layer }: RecognitionJob): Promise<void> {
  const { text, problem } = await recognizer.recognize(picture);
  if (text === undefined) {
    parentPort?.postMessage({ result: { problem } satisfies RecognizedPage });
    return;
  }
  const comparison = layer && isLegible(text) ? compareLayer(layer, text) : undefined;
  const message =
    layer === undefined || comparison?.agrees === false
      ? create(TextPageSchema, {
          ...{ ...text, number, attachment, source: TextSource.OCR, lines: toLines(text.lines) },
          hidden: comparison?.agrees === false ? [...comparison.hidden] : [],
        })
      : create(TextPageSchema, {
          ...{ ...layer, number, attachment, source: TextSource.TEXT },
          lines: toLines(comparison?.lines ?? layer.lines),
        });
  const page = toBinary(TextPageSchema, message);
  const characters = text.lines.reduce((sum, line) => sum + line.text.replace(/\s/g, "").length, 0);
  const { confidence, looksLikeText } = text;
  const result: RecognizedPage = { page, characters, confidence, looksLikeText, hides: message.hidden.length > 0 };
  parentPort?.postMessage({ result }, [page.buffer]);
}

function toLines(lines: readonly ReadLine[]): MessageInitShape<typeof TextLineSchema>[] {
  return lines.map(({ words, cells: _, ...line }) => ({ ...line, words: [...words] }));
}

// A rejection is an internal error. It ends the thread, which the pool notices.
parentPort?.on("message", (job: RecognitionJob) => void run(job));
parentPort?.postMessage({ ready: true });
