import type { Writable } from "node:stream";
import type { DescMethod, DescMethodUnary } from "@bufbuild/protobuf";
import {
  type ContextKey,
  type ContextValues,
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
import { maxMessageBytes } from "../channels/transfer-limits.ts";
import { fromWebText, toWebText } from "../decoding/web-text.ts";
import { limitDeadline } from "../deadline-header.ts";
import { decodeJson } from "./json-text.ts";
import { createJsonDecodings } from "./json-times.ts";
import { admittedBody, type AdmittedBody, admittedStream, isCompressed, isSequence } from "../limits/admitted-body.ts";
import type { ByteBudget } from "../limits/byte-budget.ts";
import { type ResponseProgress, splitIntoChunks } from "../limits/response-progress.ts";
import type { Logger } from "../logger.ts";
import { checkQuery, prepareCall } from "./call-preparation.ts";
import { getHeaderValues, type NodeRequest, type NodeResponse } from "./node-messages.ts";
import { getProtocol, isCall, respondMalformed, respondUnimplemented } from "./unknown-method.ts";
import type { ServiceRegistration } from "./registration.ts";
import { setConfidential, withRequiredHeaders } from "./required-headers.ts";
import { readBody, closeAfterResponse, closeUnread, lingeringBody } from "./unread-request.ts";

/**
 * The context value of a function that aborts the response, unless it was sent completely. It is for clients that do not read their
 * responses.
 */
export const abortResponseKey: ContextKey<(() => void) | undefined> = createContextKey<(() => void) | undefined>(
  undefined,
  {
    description: "interrupts the response",
  },
);

/** The options of a request handler. */
export interface RpcRequestHandlerOptions {
  services: readonly ServiceRegistration[];
  interceptors: readonly Interceptor[];
  /**
   * Decides by its headers whether a call of `services` is admitted. An error that it throws is the response. The interceptors receive it
   * as the failure of the call, and the body is not read.
   */
  admit?: Admit;
  /** Services without `interceptors` and `admit`, for health and reflection. Their messages are limited to 64 KiB. */
  openServices?: readonly ServiceRegistration[];
  /** The maximum size of a message, before and after decompression; 64 MiB by default. Larger messages are ResourceExhausted. */
  readMaxBytes?: number;
  /** The limits of the request messages of a method, instead of `readMaxBytes`. */
  limitMessages?: LimitMessages;
  /** The memory for the bodies of requests to `services`, from their first byte to the response; unlimited by default. */
  bodyBudget?: ByteBudget;
  /** The minimum size of messages that are compressed for clients that accept it; 1,024 bytes by default. */
  compressMinBytes?: number;
  /** Aborts the active calls, with its reason as their status. */
  shutdownSignal?: AbortSignal;
  /** Responds to paths that are not methods. The default is Unimplemented to calls, and otherwise 404 without a body. */
  fallback?: (request: NodeRequest, response: NodeResponse) => void;
  /** Logs responses that could not be written although the client was connected. */
  logger?: Logger;
}

/** The limits of the request messages of a method. */
export interface MessageLimits {
  /** The maximum size, before and after decompression. */
  readonly maxBytes: number;
  /**
   * Whether unknown fields of binary messages are kept, and passed on with the message. In memory, each takes about 200 bytes, although it
   * can be encoded in three.
   */
  readonly keepsUnknownFields: boolean;
}

/** Returns the limits of the request messages of a method. */
export type LimitMessages = (method: DescMethod) => MessageLimits;

/** What the server knows about a request that it passes to the handler. */
export interface HandlingOptions {
  /** Whether an HTTP/1.1 client waits for "100 Continue" before it sends the body. */
  readonly expectsContinue?: boolean;
  /** Records the progress of sending the response. */
  readonly progress?: ResponseProgress;
}

/** Handles requests of `node:http` and `node:http2` servers. */
export interface RpcRequestHandler {
  (request: NodeRequest, response: NodeResponse, handling?: HandlingOptions): void;
  /** Returns whether a request is a call: its path is a method of these services, or it is an attempt to call a method that is not. */
  handles(request: Pick<NodeRequest, "method" | "url" | "headers">): boolean;
}

const ignoreError = (): void => undefined;

/** The maximum size of a message to a service that requires no authentication. */
const maxOpenMessageBytes = 64 * 1024;

/**
 * Creates a request handler for gRPC, gRPC-Web and Connect, and over HTTP/1.1 for the latter two. Over HTTP/1.1, bidirectional streams work
 * for clients that send all messages before they read. The handler never throws and never writes to the console. A client that disconnects
 * cancels its call silently.
 */
export function createRpcRequestHandler(options: RpcRequestHandlerOptions): RpcRequestHandler {
  const handlers = methodHandlers(options);
  const open = new Set((options.openServices ?? []).map(({ service }) => service.typeName));
  const find = (url = ""): UniversalHandler | undefined => {
    const queryStart = url.indexOf("?");
    return handlers.get(queryStart < 0 ? url : url.slice(0, queryStart));
  };
  const handle = (request: NodeRequest, response: NodeResponse, handling: HandlingOptions = {}): void => {
    // Connect stops listening for errors when the response is closed. If the client has left, that can be just before the error of the request,
    // which would end the process without a listener. The same holds for what is written to the response too late.
    request.on("error", ignoreError);
    response.on("error", ignoreError);
    if ("stream" in request) closeAfterResponse(request);
    const handler = find(request.url);
    if (handler === undefined) {
      (options.fallback ?? respondUnimplemented)(request, response);
      return;
    }
    respond(handler, request, response, handling).catch((error: unknown) => {
      if (getStream(response).destroyed || response.writableEnded) return;
      options.logger?.error({ err: error, path: handler.requestPath }, "response could not be written");
      response.destroy();
    });
  };

  async function respond(
    handler: UniversalHandler,
    request: NodeRequest,
    response: NodeResponse,
    { expectsContinue = false, progress }: HandlingOptions,
  ): Promise<void> {
    const values = createContextValues().set(abortResponseKey, () => destroyStream(response));
    const universal = readUniversal(request, response, values);
    if (universal === undefined) return respondMalformed(request, response);
    limitDeadline(universal.header);
    // Browsers cannot read gRPC.
    if (getProtocol(request.headers) !== "gRPC") setConfidential(response);
    // Connect itself has no HEAD, which is GET without a body.
    const isHead = universal.method === "HEAD" && handler.allowedMethods.includes("GET");
    if (isHead) universal.method = "GET";
    if (!("stream" in request)) {
      universal.body = readBody(request, () => {
        if (expectsContinue && "writeContinue" in response) response.writeContinue();
      });
    }
    const isText = fromWebText(universal);
    // Connect refuses bidirectional streams over HTTP/1.1, but reflection only needs one direction after the other.
    if (handler.method.methodKind === "bidi_streaming") universal.httpVersion = "2.0";
    const isOpen = open.has(handler.service.typeName);
    const body = isOpen ? undefined : admitBody(handler.method, universal);
    if (body !== undefined) universal.body = body.bytes;
    let universalResponse = await handler(universal).finally(() => body?.release());
    if (options.admit !== undefined && !isOpen) {
      universalResponse =
        (await refuseUnsupportedProtocol(universalResponse, universal, handler.method, options.admit)) ??
        universalResponse;
    }
    universalResponse = withRequiredHeaders(universalResponse, universal, handler);
    if (isHead) delete universalResponse.body;
    if (isText) universalResponse = toWebText(universalResponse);
    if (response.destroyed) return;
    if (universalResponse.body !== undefined) {
      const lingering = lingeringBody(universalResponse.body, request, response);
      universalResponse = {
        ...universalResponse,
        body: progress === undefined ? lingering : splitIntoChunks(lingering, progress),
      };
    }
    await universalResponseToNodeResponse(universalResponse, response);
    if (universalResponse.body === undefined) closeUnread(request);
  }

  function admitBody(method: DescMethod, { body, header, signal }: UniversalServerRequest): AdmittedBody | undefined {
    const { bodyBudget } = options;
    if (bodyBudget === undefined) return undefined;
    const { maxBytes } = getMessageLimits(options, method);
    const bytes = body as AsyncIterable<Uint8Array>;
    if (isSequence(header)) return admittedStream(bytes, maxBytes, bodyBudget, signal);
    const declared = header.get("content-length");
    const length = isCompressed(header) ? maxBytes : declared === null ? undefined : Number(declared);
    return admittedBody(bytes, { length, maxBytes }, bodyBudget, signal);
  }

  return Object.assign(handle, {
    handles: (request) => find(request.url) !== undefined || isCall(request),
  } satisfies Pick<RpcRequestHandler, "handles">);
}

/** JSON with a field or an enum value that does not exist is refused, as over REST: it would be read as if it was not there. */
const strictJson = { ignoreUnknownFields: false, textDecoder: { decode: decodeJson } };

function methodHandlers(options: RpcRequestHandlerOptions): Map<string, UniversalHandler> {
  const router = createConnectRouter({
    interceptors: [...options.interceptors],
    acceptCompression: [compressionGzip, compressionBrotli],
    requestGate: prepareCall,
    readMaxBytes: options.readMaxBytes ?? maxMessageBytes,
    jsonOptions: strictJson,
    ...(options.compressMinBytes === undefined ? {} : { compressMinBytes: options.compressMinBytes }),
    ...(options.shutdownSignal === undefined ? {} : { shutdownSignal: options.shutdownSignal }),
  });
  const admission = options.admit === undefined ? undefined : admissionGate(options.admit, options.interceptors);
  const requestGate = async (context: HandlerContext): Promise<void> => {
    prepareCall(context);
    await admission?.(context);
    checkQuery(context);
  };
  const getJsonDecoding = createJsonDecodings();
  for (const { service, implementation } of options.services) {
    router.service(service, implementation, { requestGate });
    const implementations = implementation as Readonly<Record<string, MethodImpl<DescMethodUnary> | undefined>>;
    for (const method of service.methods) {
      const jsonOptions = getJsonDecoding(method.input);
      const implement = implementations[method.localName]?.bind(implementation);
      if (implement === undefined || (jsonOptions === undefined && options.limitMessages === undefined)) continue;
      const { maxBytes, keepsUnknownFields } = getMessageLimits(options, method);
      // If two handlers have the same path, the later one is used.
      router.rpc(method as DescMethodUnary, implement, {
        requestGate,
        readMaxBytes: maxBytes,
        binaryOptions: { readUnknownFields: keepsUnknownFields },
        jsonOptions: { ...strictJson, ...jsonOptions },
      });
    }
  }
  for (const { service, implementation } of options.openServices ?? []) {
    router.service(service, implementation, { interceptors: [], readMaxBytes: maxOpenMessageBytes });
  }
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
}

function getMessageLimits(
  { limitMessages, readMaxBytes = maxMessageBytes }: RpcRequestHandlerOptions,
  method: DescMethod,
): MessageLimits {
  return limitMessages?.(method) ?? { maxBytes: readMaxBytes, keepsUnknownFields: true };
}

/**
 * Returns the request of a call for Connect; undefined if its URL cannot be built, because its host is none. A call with several
 * Authorization headers has none, because Node.js would keep the first and drop the others.
 */
function readUniversal(
  request: NodeRequest,
  response: NodeResponse,
  values: ContextValues,
): UniversalServerRequest | undefined {
  try {
    const universal = universalRequestFromNodeRequest(request, response, undefined, values);
    if (getHeaderValues(request, "authorization").length > 1) universal.header.delete("authorization");
    return universal;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function destroyStream(response: NodeResponse): void {
  const stream = getStream(response);
  if (!stream.writableFinished) stream.destroy();
}

/** Returns what a response is written to. Over HTTP/2, only that knows whether it was destroyed. */
function getStream(response: NodeResponse): Writable {
  return "stream" in response ? response.stream : response;
}
