import { parentPort, workerData } from "node:worker_threads";
import { create, toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { readDocument } from "./document.ts";
import type { ReadDocument } from "./document.ts";
import type { ReadLimits } from "./limits.ts";
import { readerName } from "./reading.ts";
import type { Problem, Source } from "./reading.ts";

/** The response of the worker for a document. `text` is a DocumentText in binary form. */
export interface WorkerResult {
  readonly contentType: string;
  readonly text: Uint8Array;
  readonly problem?: Problem;
  readonly warnings: readonly string[];
  readonly omissions: readonly string[];
}

function toText({ pages, formValues, facts = [] }: ReadDocument): Uint8Array {
  const message = create(DocumentTextSchema, {
    reader: readerName,
    formValues: [...formValues],
    facts: [...facts],
    pages: pages.map(({ lines, ...page }, index) => ({
      ...page,
      number: index + 1,
      lines: lines.map(({ words, cells = [], ...line }) => ({ ...line, words: [...words], cells: [...cells] })),
    })),
  });
  return toBinary(DocumentTextSchema, message);
}

async function run(source: Source): Promise<void> {
  const document = await readDocument(source, workerData as ReadLimits);
  const found: WorkerResult = {
    contentType: document.contentType,
    text: toText(document),
    warnings: document.warnings,
    omissions: document.omissions,
    ...(document.problem && { problem: document.problem }),
  };
  // Transferred, because copying would block the main thread.
  parentPort?.postMessage({ result: found }, [found.text.buffer as ArrayBuffer]);
}

// A rejection is an internal error. It ends the thread, which the pool notices.
parentPort?.on("message", (source: Source) => void run(source));
parentPort?.postMessage({ ready: true });
