import { toBinary } from "@bufbuild/protobuf";
import { createServiceImplSpec, type HandlerContext, type Interceptor, type UnaryResponse } from "@connectrpc/connect";
import { createMethodUrl } from "@connectrpc/connect/protocol";
import { contentTypeProto } from "@connectrpc/connect/protocol-grpc";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { maxTimerMs, parseTimeout } from "../../deadline-header.ts";
import { createMessageDecoder } from "../../decoding/message-decoder.ts";
import { canceled, deadlineExceeded } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import { unlessAborted } from "../../streams.ts";
import { identifyCall } from "../call-preparation.ts";
import { createContext } from "../handler-context.ts";
import { readOnlyFrame, toFrame } from "./message-frame.ts";
import { headersFromNode, headersToNode } from "./node-headers.ts";
import type { ServiceRegistration } from "../registration.ts";
import { abortResponseKey } from "../request-handler.ts";
import { closeAfterResponse } from "../unread-request.ts";
import { setStatus } from "../wire-status.ts";
import { callImplementation, type UnarySpec } from "./implementation-call.ts";

/** The options of a unary handler. They have the same meaning as those of a request handler. */
export interface UnaryHandlerOptions {
  services: readonly ServiceRegistration[];
  interceptors: readonly Interceptor[];
  readMaxBytes: number;
  shutdownSignal: AbortSignal;
  logger?: Logger;
}

/** Handles a request, or calls `handOver`, with the stream unread, to let another handler do it. */
export type UnaryHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, handOver: () => void) => void;

/**
 * Creates a handler for plain unary calls in gRPC: those of `services` with a small, valid, uncompressed message. Nearly all calls between
 * services are of this kind. They are handled as a request handler would, but without the streams and abort controllers with which Connect
 * handles calls of any kind in any protocol. All other requests are handed over. Responses are not compressed.
 */
export function createUnaryHandler(options: UnaryHandlerOptions): UnaryHandler {
  const { interceptors, readMaxBytes, shutdownSignal, logger } = options;
  const specs = unarySpecs(options.services);
  const decode = createMessageDecoder();
  const active = new Set<AbortController>();
  shutdownSignal.addEventListener("abort", () => {
    for (const controller of active) controller.abort(shutdownSignal.reason);
  });

  async function handle(
    stream: ServerHttp2Stream,
    { headers, spec }: { headers: IncomingHttpHeaders; spec: UnarySpec },
    handOver: () => void,
  ): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const { method } = spec;
    const url = `http://${headers[":authority"] ?? headers.host ?? ""}${headers[":path"] ?? ""}`;
    const context = createContext({ method, url, header: headersFromNode(headers), signal });
    prepare(context, stream);
    const timeoutMs = context.timeoutMs();
    const abort = (): void => controller.abort(deadlineExceeded());
    // Of a very short deadline, nothing may be left.
    const timer = timeoutMs === undefined ? undefined : setTimeout(abort, Math.max(0, timeoutMs));
    const end = (): boolean => {
      clearTimeout(timer);
      return active.delete(controller);
    };
    active.add(controller);
    stream.once("close", () => {
      if (end()) controller.abort(canceled());
    });
    const read = readOnlyFrame(stream, {
      maxBytes: readMaxBytes,
      parse: (bytes) => decode(method.input, bytes),
    });
    try {
      const message = await unlessAborted(read, signal);
      if (message === undefined) {
        end();
        handOver();
        return;
      }
      const response = await callImplementation(spec, context, message, interceptors);
      respond(stream, response, toFrame(toBinary(method.output, response.message)));
    } catch (error) {
      const { responseHeader: header, responseTrailer: trailer } = context;
      respond(stream, { header, trailer }, undefined, error);
    } finally {
      end();
    }
  }

  return (stream, headers, handOver) => {
    const spec = isPlainCall(headers) ? specs.get(headers[":path"] ?? "") : undefined;
    if (spec === undefined || stream.endAfterHeaders || shutdownSignal.aborted) {
      handOver();
      return;
    }
    // These are errors of the connection. "close" follows and ends the call.
    stream.on("error", () => undefined);
    handle(stream, { headers, spec }, handOver).catch((error: unknown) => {
      if (stream.destroyed) return;
      logger?.error({ err: error, path: headers[":path"] }, "response could not be written");
      stream.destroy();
    });
  };
}

function unarySpecs(services: readonly ServiceRegistration[]): ReadonlyMap<string, UnarySpec> {
  const specs = services.flatMap(({ service, implementation }) =>
    Object.values(createServiceImplSpec(service, implementation).methods),
  );
  return new Map(
    specs.flatMap((spec) => (spec.kind === "unary" ? [[createMethodUrl("/", spec.method), spec] as const] : [])),
  );
}

const contentType = /^application\/grpc(?:\+proto)?$/;

/** Returns whether the headers are those of a call in binary gRPC without compression, with a valid deadline or none. */
function isPlainCall(headers: IncomingHttpHeaders): boolean {
  if (headers[":method"] !== "POST" || !contentType.test(headers["content-type"] ?? "")) return false;
  if ((headers["grpc-encoding"] ?? "identity") !== "identity") return false;
  const timeout = headers["grpc-timeout"];
  if (timeout === undefined) return true;
  const timeoutMs = parseTimeout(String(timeout)) ?? 0;
  return timeoutMs > 0 && timeoutMs <= maxTimerMs;
}

function prepare(context: HandlerContext, stream: ServerHttp2Stream): void {
  identifyCall(context);
  context.values.set(abortResponseKey, () => {
    if (!stream.writableFinished) stream.destroy();
  });
}

function respond(
  stream: ServerHttp2Stream,
  { header, trailer }: Pick<UnaryResponse, "header" | "trailer">,
  frame: Buffer | undefined,
  error?: unknown,
): void {
  if (stream.destroyed || stream.closed) return;
  if (error !== undefined) setStatus(trailer, error);
  const trailers = headersToNode(trailer);
  // Another object is faster than another entry of `Headers`.
  if (error === undefined) trailers["grpc-status"] = "0";
  const headers = { ":status": 200, ...headersToNode(header), "content-type": contentTypeProto };
  stream.respond(headers, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(trailers));
  if (!stream.readableEnded) closeAfterResponse({ stream });
  stream.end(frame);
}
