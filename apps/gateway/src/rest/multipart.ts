import { Dicer } from "@fastify/busboy";
import { canceled, invalid, type Violation } from "@switchyard/rpc";
import { parse } from "content-type";
import type { Readable } from "node:stream";
import { payloadTooLarge } from "../http/errors.ts";
import { getDeclaredLength, parseMediaType, type Exchange } from "../http/exchange.ts";
import { sendContinue } from "../http/request-body.ts";
import { decodeBytes, readPartHeader, type HeaderLines, type PartHeader } from "./part-header.ts";

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
/** The maximum length of a boundary that the parser can find. RFC 2046 allows 70 characters. */
const maxBoundaryLength = 252;
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
  const { boundary = "" } = parse(request.headers["content-type"] ?? "").parameters;
  if (boundary === "" || boundary.length > maxBoundaryLength)
    return Promise.reject(malformed("is not a multipart form with a boundary"));
  return new Promise<Form>((resolve, reject) => {
    const parts: (readonly [string, string])[] = [];
    const violations: Violation[] = [];
    const { promise: finished, resolve: finish, reject: abandon } = Promise.withResolvers<void>();
    // The reader of the chunks awaits this promise. Without a reader, the returned promise reports the failure.
    finished.catch(() => undefined);
    let file: FormFile | undefined;
    let size = 0;
    const count = { parts: 0, headers: 0 };
    /** What has not ended yet: the request, the parser, and the parts that are being read. */
    let open = 2;

    const parser = new Dicer({ boundary });
    const stop = (): void => {
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      request.pause();
    };
    let failed = false;
    let stream: Readable | undefined;
    const fail = (error: Error): void => {
      if (failed) return;
      failed = true;
      stop();
      abandon(error);
      reject(error);
      stream?.destroy(error);
    };
    const end = (): void => {
      open -= 1;
      if (open > 0 || failed) return;
      if (file === undefined && violations.length === 0) violations.push({ field: fileName, message: "is required" });
      if (violations.length > 0) fail(invalid(violations));
      else finish();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) fail(payloadTooLarge("The form", maxBytes));
      else if (!parser.write(chunk)) {
        request.pause();
        parser.once("drain", () => request.resume());
      }
    };
    const onEnd = (): void => {
      parser.end();
      end();
    };
    const onClose = (): void => {
      if (!request.complete) fail(canceled());
    };

    const readFile = async function* (part: Readable): AsyncGenerator<Uint8Array> {
      let fileSize = 0;
      try {
        for await (const chunk of part as AsyncIterable<Buffer>) {
          fileSize += chunk.length;
          if (fileSize > maxFileBytes) fail(payloadTooLarge("The file", maxFileBytes, fileName));
          else yield chunk;
        }
      } catch (error) {
        // If the form failed, its error is more precise.
        await finished;
        throw error;
      }
      end();
      await finished;
    };
    const readText = (part: Readable, { name, contentType }: PartHeader): void => {
      const tooLarge = (): void => fail(payloadTooLarge(`The part "${name}"`, maxPartBytes, name));
      collect(part, tooLarge, (bytes) => {
        const { charset = "utf-8" } = parseMediaType(contentType);
        const { text, isValid } = decodeBytes(bytes, charset);
        if (isValid) parts.push([name, text]);
        else violations.push({ field: toField(name), message: `is not valid text in the charset ${charset}` });
        end();
      });
    };
    const begin = (part: Readable, header: PartHeader | undefined): void => {
      if (header !== undefined && header.filename === undefined && header.name !== fileName) {
        readText(part, header);
        return;
      }
      const problem = findProblem(header, fileName, file !== undefined);
      if (header?.filename !== undefined && problem === undefined) {
        stream = part;
        file = { filename: header.filename, contentType: header.contentType, chunks: readFile(part) };
        resolve({ file, parts, discard: stop });
        return;
      }
      violations.push({ field: toField(header?.name ?? ""), message: problem ?? "must be a file, with a filename" });
      part.on("end", end).resume();
    };

    parser.on("part", (part) => {
      // The parser reports the error, too.
      part.on("error", () => undefined);
      count.parts += 1;
      if (count.parts > maxParts) fail(malformed(`has more than ${maxParts} parts`));
      if (failed) {
        part.resume();
        return;
      }
      open += 1;
      part.once("header", (lines: object) => {
        count.headers += 1;
        begin(part, readPartHeader(lines as HeaderLines));
      });
    });
    parser.on("error", () => fail(malformed("is not a complete multipart form")));
    parser.on("finish", () => {
      // A boundary in the header of a part ends it.
      if (count.headers < count.parts) fail(malformed("has a part without a complete header"));
      else end();
    });
    sendContinue(exchange);
    request.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

/** Collects the bytes of a part. Calls `onEnd` with them, or `onTooLarge` as soon as there are more than are allowed. */
function collect(part: Readable, onTooLarge: () => void, onEnd: (bytes: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  part.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxPartBytes) onTooLarge();
    else chunks.push(chunk);
  });
  part.on("end", () => onEnd(Buffer.concat(chunks)));
}

function malformed(message: string): Error {
  return invalid([{ field: "body", message }]);
}

function toField(name: string): string {
  return name === "" ? '""' : name;
}

/** Returns what is wrong with a part that should be the file; undefined if nothing is. */
function findProblem(header: PartHeader | undefined, fileName: string, hasFile: boolean): string | undefined {
  if (header === undefined) return "needs the header Content-Disposition: form-data";
  if (header.name !== fileName) return "is not a part of this request";
  if (header.filename === undefined) return "must be a file, with a filename";
  if (hasFile) return "is given more than once";
  if (!header.isDecoded) return "has a filename that is not UTF-8";
  return header.filename === "" ? "needs a filename" : undefined;
}
