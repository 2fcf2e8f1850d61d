import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { canceled, invalid, type Violation } from "@switchyard/rpc";
import type { Exchange } from "../http/exchange.ts";
import { payloadTooLarge } from "../http/errors.ts";
import { getDeclaredLength } from "../http/exchange.ts";
import { sendContinue } from "../http/request-body.ts";

/** The file part of a form whose bytes have not been read yet. */
export interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  /** Ends after the whole form has been read and is valid. Throws if it is invalid or the file is too large. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A form that is being read. */
export interface Form {
  readonly file: FormFile;
  /** The other parts read so far. All of them are available after `chunks` has ended. */
  readonly parts: readonly (readonly [name: string, value: string])[];
  /** Stops reading the form. The rest of the body stays unread. */
  discard(): void;
}

const maxParts = 50;
const maxPartBytes = 1024 * 1024;
/** The maximum size of a form without its file: boundaries, headers and other parts. */
export const envelopeBytes = 2 * 1024 * 1024;

/**
 * Reads a multipart/form-data body up to the file in the part `fileName`. Rejects with INVALID_REQUEST if the form is malformed or has
 * no such file, with PAYLOAD_TOO_LARGE if it is too large, and with Canceled if the client disconnects.
 */
export function receiveForm(exchange: Exchange, fileName: string, maxFileBytes: number): Promise<Form> {
  const { request } = exchange;
  const maxBytes = maxFileBytes + envelopeBytes;
  if (getDeclaredLength(request) > maxBytes) return Promise.reject(payloadTooLarge("The file", maxFileBytes, fileName));
  // The request emits no more events.
  if (exchange.signal.aborted) return Promise.reject(canceled());
  return new Promise<Form>((resolve, reject) => {
    const parts: (readonly [string, string])[] = [];
    const violations: Violation[] = [];
    let finish: () => void = () => undefined;
    let abandon: (error: Error) => void = () => undefined;
    const finished = new Promise<void>((resolveFinished, rejectFinished) => {
      finish = resolveFinished;
      abandon = rejectFinished;
    });
    // The reader of the chunks awaits this promise. Without a reader, the returned promise reports the failure.
    finished.catch(() => undefined);
    let file: FormFile | undefined;
    let stream: BusboyFileStream | undefined;
    let size = 0;
    // What was received last, which contains the header of the part that the parser reports.
    let recent: readonly Buffer[] = [];

    const parser = createParser(request.headers as BusboyHeaders, maxFileBytes);
    if (parser === undefined) {
      reject(invalid([{ field: "body", message: "is not a multipart form with a boundary" }]));
      return;
    }
    const stop = (): void => {
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      request.pause();
    };
    let failed = false;
    const fail = (error: Error): void => {
      if (failed) return;
      failed = true;
      stop();
      abandon(error);
      reject(error);
      stream?.destroy(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      recent = [...recent.slice(-1), chunk];
      if (size > maxBytes) fail(payloadTooLarge("The form", maxBytes));
      else if (!parser.write(chunk)) {
        request.pause();
        parser.once("drain", () => request.resume());
      }
    };
    const onEnd = (): void => void parser.end();
    const onClose = (): void => {
      if (!request.complete) fail(canceled());
    };

    parser.on("file", (name, incoming, filename, _encoding, contentType) => {
      // A broken part also fails the whole form, which reports the error.
      incoming.on("error", () => undefined);
      const isDecoded = filename === undefined || isUtf8(filename, recent);
      if (name === fileName && file === undefined && filename !== undefined && filename !== "" && isDecoded) {
        stream = incoming.on("limit", () => fail(payloadTooLarge("The file", maxFileBytes, fileName)));
        file = { filename: unescapeName(filename), contentType, chunks: readChunks(incoming, finished) };
        resolve({ file, parts, discard: stop });
        return;
      }
      const message =
        name !== fileName
          ? "is not a part of this request"
          : file !== undefined
            ? "is given more than once"
            : isDecoded
              ? "needs a filename"
              : "has a filename that is not UTF-8";
      violations.push({ field: name === undefined || name === "" ? '""' : name, message });
      incoming.resume();
    });
    parser.on("field", (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated) violations.push({ field: name, message: "has a name that is too long" });
      else if (valueTruncated) fail(payloadTooLarge(`The part "${name}"`, maxPartBytes, name));
      else if (name === fileName) violations.push({ field: name, message: "must be a file, with a filename" });
      else parts.push([name ?? "", value]);
    });
    for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const)
      parser.on(limit, () => fail(invalid([{ field: "body", message: `has more than ${maxParts} parts` }])));
    parser.on("error", () => fail(invalid([{ field: "body", message: "is not a complete multipart form" }])));
    parser.on("finish", () => {
      if (file === undefined && violations.length === 0) violations.push({ field: fileName, message: "is required" });
      if (violations.length > 0) fail(invalid(violations));
      else finish();
    });
    sendContinue(exchange);
    request.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

function createParser(headers: BusboyHeaders, fileSize: number): BusboyInstance | undefined {
  try {
    const limits = { fileSize, files: maxParts, fields: maxParts, parts: maxParts, fieldSize: maxPartBytes };
    return new Busboy({ headers, limits });
  } catch {
    return undefined;
  }
}

/** Returns a file name as it was before the sender escaped it for the header: browsers and most other clients write `"` as "%22". */
function unescapeName(filename: string): string {
  return filename.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}

/** Returns whether a file name was UTF-8 before the parser put U+FFFD for what was not, unless that is what the name contained. */
function isUtf8(filename: string, received: readonly Buffer[]): boolean {
  return !filename.includes("\ufffd") || Buffer.concat(received).includes(filename);
}

async function* readChunks(stream: BusboyFileStream, finished: Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    // If the form failed, its error is more precise.
    await finished;
    throw error;
  }
  await finished;
}
