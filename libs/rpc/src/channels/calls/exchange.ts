import { constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import { maxMessageBytes } from "../transfer-limits.ts";
import type { OpenedStream } from "../connections/connection.ts";
import { failureFromHttp, failureFromReset, failureInTrailers, noConnection, violation } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { createMessageReader } from "./message-reader.ts";

/** The events of the response to an attempt. */
export interface ResponseEvents {
  /** The response has begun. It is not called for a response that consists of a status only. */
  header(header: IncomingHttpHeaders): void;
  message(message: Uint8Array): void;
  /** The attempt has ended. `isUnprocessed` means that the server has certainly not processed it. Called exactly once, last. */
  end(trailer: IncomingHttpHeaders, failure?: Failure, isUnprocessed?: boolean): void;
}

/** Reads the response on a stream, and closes the stream when it has ended. */
export function readResponse({ stream, session }: OpenedStream, events: ResponseEvents): void {
  let status: number | undefined;
  let isGrpc = false;
  let trailer: IncomingHttpHeaders | undefined;
  let hasEnded = false;
  let cause: Error | undefined;
  const reader = createMessageReader(maxMessageBytes, (message) => events.message(message));

  function end(failure?: Failure, isUnprocessed?: boolean): void {
    if (hasEnded) return;
    hasEnded = true;
    // The server has ended the call, but the request is still being sent.
    if (!stream.writableFinished) stream.close(failure === undefined ? noError : cancelled);
    events.end(trailer ?? {}, failure, isUnprocessed);
  }

  stream.on("response", (header: IncomingHttpHeaders & IncomingHttpStatusHeader, flags) => {
    status = header[":status"];
    isGrpc = status === 200 && contentType.test(header["content-type"] ?? "");
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) trailer = header;
    else if (!hasEnded) events.header(header);
  });
  stream.on("trailers", (received: IncomingHttpHeaders) => (trailer = received));
  stream.on("data", (chunk: Buffer) => {
    // The body of a response that is not gRPC, such as a page of a proxy, is discarded.
    if (hasEnded || !isGrpc) return;
    const failure = reader.push(chunk);
    if (failure === undefined) return;
    end(failure);
    stream.close(cancelled);
  });
  stream.on("end", () => {
    if (trailer !== undefined) endWithStatus(trailer);
  });
  stream.on("error", (error: Error) => (cause = error));
  stream.on("close", () => {
    if (hasEnded) return;
    const isIncomplete = !stream.readableEnded;
    const failed = trailer === undefined ? undefined : failureInTrailers(trailer, { status, isGrpc });
    if (failed !== undefined) end(failed);
    else if (trailer !== undefined && !isIncomplete) endWithStatus(trailer);
    else if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || session.isUnprocessed(stream)) {
      end(failureFromReset(constants.NGHTTP2_REFUSED_STREAM), status === undefined);
    } else if (session.getLoss() !== undefined) end(noConnection(cause ?? session.getLoss()));
    else if (stream.rstCode === noError) end(failureFromHttp({ status, isGrpc }));
    else end(failureFromReset(stream.rstCode));
  });

  function endWithStatus(received: IncomingHttpHeaders): void {
    const failure = failureInTrailers(received, { status, isGrpc });
    if (failure !== undefined || isGrpc) {
      end(failure ?? (reader.isIncomplete() ? violation("A response ends within a message.") : undefined));
    } else end(failureFromHttp({ status, isGrpc }));
  }
}

const { NGHTTP2_NO_ERROR: noError, NGHTTP2_CANCEL: cancelled } = constants;
const contentType = /^application\/grpc(?:[+;]|$)/i;
