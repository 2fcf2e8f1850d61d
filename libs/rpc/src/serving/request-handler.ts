import type { DescMethodUnary } from "@bufbuild/protobuf";
import {
  Code,
  type ContextKey,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { type Admit, admissionGate, refuseUnsupportedProtocol } from "./admission.ts";
import { maxMessageBytes } from "../channels/channel-options.ts";
import { noteRequestId, requestIdHeader } from "../interceptors/request-id.ts";
import { createJsonDecodings } from "./json-times.ts";
import { admittedBody, type AdmittedBody, admittedStream, isCompressed, isSequence } from "../limits/admitted-body.ts";
import type { ByteBudget } from "../limits/byte-budget.ts";
import { type AnswerProgress, inChunks } from "../limits/answer-progress.ts";
import type { Logger } from "../logger.ts";
import { openCall } from "./opening.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";
import type { ServiceRegistration } from "./registration.ts";
import { readBody, closeOnceAnswered, closeUnread, lingeringBody } from "./unread-request.ts";

/** Among the context values of a call: breaks off its answer, unless that has left whole. For clients that do not read it. */
export const hangUpKey: ContextKey<(() => void) | undefined> = createContextKey<(() => void) | undefined>(undefined, {
  description: "breaks off the answer",
});

/** What answers calls, and within which limits. */
export interface RpcRequestHandlerOptions {
  services: readonly ServiceRegistration[];
  interceptors: readonly Interceptor[];
  /**
   * Decides by its headers whether a call of `services` is taken. What it throws is the answer; the interceptors see it as
   * the call's failure, and not a byte of the body is read.
   */
  admit?: Admit;
  /** Services that answer without `interceptors` and `admit`: health, reflection. Their messages may be small only. */
  openServices?: readonly ServiceRegistration[];
  /** The largest message accepted, also once decompressed, 64 MiB by default; larger ones are ResourceExhausted. */
  readMaxBytes?: number;
  /** What the bodies of requests to `services` may take in memory at once, from their first byte to the answer; unlimited by default. */
  bodyBudget?: ByteBudget;
  /** From how many bytes on messages are compressed for clients that accept it; 1,024 by default. */
  compressMinBytes?: number;
  /** Aborts the calls under way, with its reason as their status. */
  shutdownSignal?: AbortSignal;
  /** Answers paths that are no method; Unimplemented over gRPC and otherwise 404, without a body, by default. */
  fallback?: (request: NodeRequest, response: NodeResponse) => void;
  /** Hears of answers that could not be written although their client was there. */
  logger?: Logger;
}

/** What the server knows about a request that it passes to the handler. */
export interface HandlingOptions {
  /** Whether an HTTP/1.1 client waits for "100 Continue" before it sends the body. */
  readonly expectsContinue?: boolean;
  /** Records the progress of sending the response. */
  readonly progress?: AnswerProgress;
}

/** Handles requests of `node:http` and `node:http2` servers. */
export interface RpcRequestHandler {
  (request: NodeRequest, response: NodeResponse, handling?: HandlingOptions): void;
  /** Returns whether a URL, without its query, is the path of a method of these services. */
  handles(url: string | undefined): boolean;
}

/** The maximum size of a message to a service that requires no authentication. */
const maxOpenMessageBytes = 64 * 1024;

/**
 * A request handler that answers gRPC, gRPC-Web and Connect; over HTTP/1.1 only the latter two. There, bidirectional
 * streams work for clients that send all messages before they read. The handler never throws and never writes to the console; a client
 * that disconnects cancels its call silently.
 */
export function createRpcRequestHandler(options: RpcRequestHandlerOptions): RpcRequestHandler {
  const handlers = methodHandlers(options);
  const open = new Set((options.openServices ?? []).map(({ service }) => service.typeName));
  const find = (url: string | undefined): UniversalHandler | undefined => handlers.get(url?.split("?", 1)[0] ?? "");
  const handle = (request: NodeRequest, response: NodeResponse, handling: HandlingOptions = {}): void => {
    if ("stream" in request) closeOnceAnswered(request);
    const handler = find(request.url);
    if (handler === undefined) {
      (options.fallback ?? answerNotFound)(request, response);
      return;
    }
    answer(handler, request, response, handling).catch((error: unknown) => {
      if (response.destroyed || response.writableEnded) return;
      options.logger?.error({ err: error, path: handler.requestPath }, "answer could not be written");
      response.destroy();
    });
  };

  async function answer(
    handler: UniversalHandler,
    request: NodeRequest,
    response: NodeResponse,
    { expectsContinue = false, progress }: HandlingOptions,
  ): Promise<void> {
    const values = createContextValues().set(hangUpKey, () => hangUp(response));
    const universal = universalRequestFromNodeRequest(request, response, undefined, values);
    if (!("stream" in request)) {
      universal.body = readBody(request, () => {
        if (expectsContinue && "writeContinue" in response) response.writeContinue();
      });
    }
    // Connect refuses streams both ways over HTTP/1.1. Reflection needs no more than one after the other.
    if (handler.method.methodKind === "bidi_streaming") universal.httpVersion = "2.0";
    const isOpen = open.has(handler.service.typeName);
    const body = isOpen ? undefined : admitted(universal);
    if (body !== undefined) universal.body = body.bytes;
    let answered = await handler(universal).finally(() => body?.release());
    if (options.admit !== undefined && !isOpen) {
      answered = (await refuseUnsupportedProtocol(answered, universal, handler.method, options.admit)) ?? answered;
    }
    if (response.destroyed) return;
    if (answered.body !== undefined) {
      const whole = lingeringBody(answered.body, request, response);
      answered = { ...answered, body: progress === undefined ? whole : inChunks(whole, progress) };
    }
    await universalResponseToNodeResponse(answered, response);
    if (answered.body === undefined) closeUnread(request);
  }

  function admitted({ body, header, signal }: UniversalServerRequest): AdmittedBody | undefined {
    const { bodyBudget, readMaxBytes: maxBytes = maxMessageBytes } = options;
    if (bodyBudget === undefined) return undefined;
    const bytes = body as AsyncIterable<Uint8Array>;
    if (isSequence(header)) return admittedStream(bytes, maxBytes, bodyBudget, signal);
    const declared = header.get("content-length");
    const length = isCompressed(header) ? maxBytes : declared === null ? undefined : Number(declared);
    return admittedBody(bytes, { length, maxBytes }, bodyBudget, signal);
  }

  return Object.assign(handle, { handles: (url: string | undefined) => find(url) !== undefined });
}

function methodHandlers(options: RpcRequestHandlerOptions): Map<string, UniversalHandler> {
  const router = createConnectRouter({
    interceptors: [...options.interceptors],
    acceptCompression: [compressionGzip, compressionBrotli],
    requestGate: openCall,
    readMaxBytes: options.readMaxBytes ?? maxMessageBytes,
    ...(options.compressMinBytes === undefined ? {} : { compressMinBytes: options.compressMinBytes }),
    ...(options.shutdownSignal === undefined ? {} : { shutdownSignal: options.shutdownSignal }),
  });
  const admission = options.admit === undefined ? undefined : admissionGate(options.admit, options.interceptors);
  const requestGate = async (context: HandlerContext): Promise<void> => {
    openCall(context);
    await admission?.(context);
  };
  const getJsonDecoding = createJsonDecodings();
  for (const { service, implementation } of options.services) {
    router.service(service, implementation, { requestGate });
    const implementations = implementation as Readonly<Record<string, MethodImpl<DescMethodUnary> | undefined>>;
    for (const method of service.methods) {
      const jsonOptions = getJsonDecoding(method.input);
      const implement = implementations[method.localName]?.bind(implementation);
      // Of two handlers of one path, the later one answers.
      if (jsonOptions !== undefined && implement !== undefined) {
        router.rpc(method as DescMethodUnary, implement, { requestGate, jsonOptions });
      }
    }
  }
  for (const { service, implementation } of options.openServices ?? []) {
    router.service(service, implementation, { interceptors: [], readMaxBytes: maxOpenMessageBytes });
  }
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
}

function hangUp(response: NodeResponse): void {
  const stream = "stream" in response ? response.stream : response;
  if (!stream.writableFinished) stream.destroy();
}

/** Over gRPC, Unimplemented as its protocol says it, so that clients see the request id with the error; 404 otherwise. */
function answerNotFound(request: NodeRequest, response: NodeResponse): void {
  const { [requestIdHeader]: sent, "content-type": type = "" } = request.headers;
  const known = new Headers(typeof sent === "string" ? { [requestIdHeader]: sent } : {});
  response.setHeader(requestIdHeader, noteRequestId(known, createContextValues()));
  if (/^application\/grpc($|[+;])/.test(type)) {
    // Not by writeHead, which sends the headers before it is known that nothing follows: clients then take no status from them.
    response.setHeader("content-type", type);
    response.setHeader("grpc-status", String(Code.Unimplemented));
    response.setHeader("grpc-message", "There is no such method.");
  } else {
    response.statusCode = 404;
  }
  response.end();
  closeUnread(request);
}
