import { isFieldSet } from "@bufbuild/protobuf";
import type { DescMessage, DescMethodStreaming, DescMethodUnary, DescService, Message } from "@bufbuild/protobuf";
import type { ContextValues, Transport, UnaryResponse } from "@connectrpc/connect";
import { withIdentity, type TokenVerifier } from "@switchyard/access";
import { hasNoDeadline, httpBodyType, type Endpoint, type RestApi, type Route } from "@switchyard/rest";
import {
  type ByteBudget,
  getHeaderValues,
  invalid,
  requestIdKey,
  smallBodyBytes,
  unauthenticated,
} from "@switchyard/rpc";
import { accessLostKey } from "../access/access-watch.ts";
import { sendResponse, sendProblem, sendTagged } from "../http/responses.ts";
import { createWeakTag } from "../http/conditional.ts";
import type { Cors } from "../http/cors.ts";
import type { Document } from "../http/document.ts";
import { sendDocument } from "../http/fixed-document.ts";
import { chooseMediaType } from "../http/negotiation.ts";
import { eventTypes, refuseUnacceptable } from "./acceptable-type.ts";
import { createPreconditions, type Preconditions } from "./preconditions.ts";
import { sendBytes } from "./byte-stream.ts";
import { findEndpoint, refuseRemovedEndpoint } from "./endpoint-lookup.ts";
import { sendEvents } from "./event-stream.ts";
import { unsupportedContentEncoding, unsupportedMediaType } from "../http/errors.ts";
import {
  getDeclaredLength,
  isEncoded,
  parseMediaType,
  type Exchange,
  type MediaType,
  type OutgoingCall,
} from "../http/exchange.ts";
import { toRequestHeaders, toResponseHeaders } from "../forwarding/forwarded-headers.ts";
import type { PublicService } from "../forwarding/forwarding.ts";
import { toSingleMessageStream } from "../forwarding/single-message.ts";
import { refuseOverloaded, type MethodLimiters } from "../limits/method-limiters.ts";
import type { LimitRate } from "../rate-limit/rate-limit.ts";
import { envelopeBytes } from "./multipart.ts";
import { hasBody, readBody } from "../http/request-body.ts";
import { authorizationKey, gatewayService } from "../access/token-admission.ts";
import { receiveUpload } from "./upload.ts";

/** The path of the OpenAPI document among the endpoints. */
const openApiPath = "/api/v1/openapi.json";

/** The options and dependencies of the REST handler. */
export interface RestHandlerOptions {
  /** The endpoints of the services. */
  readonly api: RestApi;
  readonly services: readonly PublicService[];
  readonly verifier: Pick<TokenVerifier, "recall" | "verify">;
  readonly limitRate: LimitRate;
  readonly getLimiter: MethodLimiters;
  /** Limits the memory that the bodies of requests take at the same time. */
  readonly bodyBudget: ByteBudget;
  /** The OpenAPI document as JSON, which GET /api/v1/openapi.json returns. */
  readonly getOpenApi: () => Document;
  readonly cors: Cors;
  /** The maximum duration of a call, in milliseconds. */
  readonly deadlineMs: number;
  /** The interval of keep-alive comments in an event stream, in milliseconds. */
  readonly keepAliveIntervalMs: number;
  /** Aborted when the gateway closes. */
  readonly draining: AbortSignal;
}

/** The outcome of a request, for the log. */
export interface Handled {
  readonly status: number;
  /** The called method, as "ClassifierService.Classify"; undefined when no endpoint matched. */
  readonly method: string | undefined;
  /** The error of a failed request. */
  readonly error: unknown;
}

/**
 * Creates the handler of requests under /api/v1. It checks, in this order: token (401), rate limit (429), path (404), method (405), removal (410),
 * acceptable responses (406), overload (503), headers (400), content type (415), size (413) and shape (400), and then makes the call. It
 * contains no code for individual endpoints and never rejects.
 */
export function createRestHandler(options: RestHandlerOptions): (exchange: Exchange) => Promise<Handled> {
  const { api } = options;
  const transports = new Map<DescService, Transport>(
    options.services.map(({ service, transport }) => [service, transport]),
  );
  const preconditions = createPreconditions(api, transports);
  const responding = { ...options, preconditions };

  return async (exchange) => {
    let method: string | undefined;
    const headers: Record<string, string> = {};
    try {
      const values = await authenticate(exchange, options);
      if (exchange.path === openApiPath)
        return { status: await sendDocument(exchange, options.getOpenApi()), method, error: undefined };
      const found = findEndpoint(api, exchange, headers, options.cors);
      if (found === undefined) {
        return { status: await sendResponse(exchange, 204, headers, undefined), method, error: undefined };
      }
      const { endpoint, variables } = found;
      const { route } = endpoint;
      method = `${route.service.name}.${route.method.name}`;
      refuseRemovedEndpoint(found, headers);
      refuseUnacceptable(exchange, route);
      refuseOverloaded(route.method, options.getLimiter);
      preconditions.refuseUnsupported(exchange, endpoint);
      const call: OutgoingCall = {
        transport: transports.get(route.service) as Transport,
        signal: exchange.signal,
        timeoutMs: options.deadlineMs,
        header: toRequestHeaders(route.method, (name) => getHeaderValues(exchange.request, name)),
        values,
      };
      const bytes = getReservedBytes(exchange, endpoint);
      const release = bytes === 0 ? undefined : await options.bodyBudget.take(bytes, exchange.signal);
      try {
        return { status: await respond(exchange, endpoint, variables, call, responding), method, error: undefined };
      } finally {
        release?.();
      }
    } catch (error) {
      return { status: await sendProblem(exchange, error, headers), method, error };
    }
  };
}

/**
 * Verifies the bearer token, counts the request against its rate limit and returns context values with the caller. A CORS preflight
 * request has no token.
 */
async function authenticate(
  exchange: Exchange,
  { verifier, limitRate, cors }: Pick<RestHandlerOptions, "verifier" | "limitRate" | "cors">,
): Promise<ContextValues> {
  const { request, headers } = exchange;
  const lines = getHeaderValues(request, "authorization");
  if (lines.length > 1) throw unauthenticated("TOKEN_INVALID", "Send exactly one Authorization header.");
  // Most callers are known and within their limit, and need not be waited for.
  const caller = cors.isPreflight(request)
    ? undefined
    : (verifier.recall(lines[0]) ?? (await verifier.verify(lines[0], exchange.requestId)));
  const setHeader = (name: string, value: string): void => void (headers[name] = value);
  if (caller !== undefined && !limitRate.atOnce(caller, setHeader)) await limitRate(caller, setHeader);
  return withIdentity({ service: gatewayService, caller })
    .set(requestIdKey, exchange.requestId)
    .set(authorizationKey, lines[0]);
}

/**
 * The maximum memory that is reserved for a body that is forwarded as a stream. Less of it is in memory, but more concurrent uploads
 * would only wait until their documents are read.
 */
const streamedBodyBytes = 8 * 1024 * 1024;

/** Returns how much memory is reserved for the body: none if it is small or will be refused for its size. */
function getReservedBytes({ request }: Exchange, { route }: Endpoint): number {
  const maxBytes = Math.max(route.maxBodyBytes, route.upload?.maxBytes ?? 0);
  const bytes = request.headers["transfer-encoding"] === undefined ? getDeclaredLength(request) : maxBytes;
  if (bytes <= smallBodyBytes || bytes > maxBytes + envelopeBytes) return 0;
  return route.method.methodKind === "client_streaming" ? Math.min(bytes, streamedBodyBytes) : bytes;
}

async function respond(
  exchange: Exchange,
  endpoint: Endpoint,
  variables: ReadonlyMap<string, string>,
  call: OutgoingCall,
  options: StreamOptions & { preconditions: Preconditions },
): Promise<number> {
  const { route } = endpoint;
  const { type, charset } = getBodyType(exchange, route);
  if (isEncoded(exchange.request)) throw unsupportedContentEncoding();
  if (endpoint.upload !== undefined && route.upload !== undefined && isUpload(endpoint, type)) {
    const upload = { endpoint, reader: endpoint.upload, rule: route.upload, multipart: type === "multipart/form-data" };
    const { request, reply } = await receiveUpload(exchange, upload, variables, call);
    return send(exchange, endpoint, request, reply);
  }
  const request = await readRequest(exchange, endpoint, variables, type, charset);
  if (route.method.output.typeName === httpBodyType) return respondWithBytes(exchange, route, request, call);
  if (route.eventName !== undefined) return respondWithEvents(exchange, endpoint, request, call, options);
  const method = route.method as DescMethodUnary<DescMessage, DescMessage>;
  const reply = await options.preconditions.guard(exchange, { endpoint, request, call }, (guarded) => {
    const { transport, signal, timeoutMs, header, values } = guarded;
    return transport.unary(method, signal, timeoutMs, header, request, values);
  });
  return send(exchange, endpoint, request, reply);
}

/**
 * Returns the media type of the body of a request. Several headers are refused: Node.js keeps the first, and a proxy may use another.
 * @throws INVALID_REQUEST
 */
function getBodyType({ request }: Exchange, { body, upload }: Route): MediaType {
  const takesBody = body !== undefined || upload !== undefined;
  if (takesBody && getHeaderValues(request, "content-type").length > 1)
    throw invalid([{ field: "Content-Type", message: "is given more than once" }]);
  return parseMediaType(request.headers["content-type"]);
}

/** Makes a call whose response is a file. */
async function respondWithBytes(
  exchange: Exchange,
  route: Route,
  request: Message,
  { transport, signal, timeoutMs, header, values }: OutgoingCall,
): Promise<number> {
  const method = route.method as DescMethodStreaming<DescMessage, DescMessage>;
  const deadline = hasNoDeadline(method) ? undefined : timeoutMs;
  const reply = await transport.stream(method, signal, deadline, header, toSingleMessageStream(request), values);
  return sendBytes(exchange, reply.header, reply.message, values.get(accessLostKey));
}

type StreamOptions = Pick<RestHandlerOptions, "keepAliveIntervalMs" | "draining">;

/** Makes a call whose response is a stream of events. */
async function respondWithEvents(
  exchange: Exchange,
  endpoint: Endpoint,
  request: Message,
  { transport, signal, header, values }: OutgoingCall,
  { keepAliveIntervalMs, draining }: StreamOptions,
): Promise<number> {
  const method = endpoint.route.method as DescMethodStreaming<DescMessage, DescMessage>;
  const streamSignal = AbortSignal.any([signal, draining]);
  const input = toSingleMessageStream(request);
  const reply = await transport.stream(method, streamSignal, undefined, header, input, values);
  return sendEvents(exchange, reply.message, {
    name: endpoint.route.eventName ?? "",
    type: chooseMediaType(exchange, eventTypes),
    write: (message) => endpoint.write(message, request, exchange).body ?? "",
    isBeginning: (message) => method.output.fields.every((field) => !isFieldSet(message, field)),
    keepAliveIntervalMs,
    draining,
    accessLost: values.get(accessLostKey),
  });
}

const noBody = new Uint8Array();

function isUpload({ route }: Endpoint, type: string): boolean {
  if (type === "multipart/form-data") return true;
  if (route.upload?.raw !== true || type === "" || type.startsWith("multipart/")) return false;
  // A method that takes a stream has no JSON body, so JSON is a file like any other.
  return route.method.methodKind === "client_streaming" || type !== "application/json";
}

async function readRequest(
  exchange: Exchange,
  endpoint: Endpoint,
  variables: ReadonlyMap<string, string>,
  type: string,
  charset: string | undefined,
): Promise<Message> {
  const { route } = endpoint;
  const streamed = route.method.methodKind === "client_streaming";
  let body: Uint8Array = noBody;
  if (streamed) throw unsupportedMediaType(uploadTypes(endpoint));
  if (await hasBody(exchange)) {
    if (route.body === undefined)
      throw invalid([{ field: "body", message: "must be empty: this method takes no body" }]);
    if (type !== "application/json" || (charset !== undefined && charset !== "utf-8"))
      throw unsupportedMediaType(
        endpoint.upload === undefined ? "application/json" : `application/json or ${uploadTypes(endpoint)}`,
      );
    body = await readBody(exchange, route.maxBodyBytes);
  }
  const outcome = endpoint.read({ variables, query: exchange.query, body });
  if (!outcome.ok) throw invalid(outcome.violations);
  return outcome.value;
}

function uploadTypes({ route }: Endpoint): string {
  return route.upload?.raw === true
    ? `multipart/form-data, or the file's own with the parameter ?filename=`
    : "multipart/form-data";
}

function send(
  exchange: Exchange,
  endpoint: Endpoint,
  request: Message,
  reply: Pick<UnaryResponse, "header" | "message">,
): Promise<number> {
  const { status, headers: ownHeaders, body } = endpoint.write(reply.message, request, exchange);
  const headers = { ...toResponseHeaders(reply.header), ...ownHeaders };
  if (endpoint.route.entityTag !== undefined && body !== undefined)
    return sendTagged(exchange, headers, body, createWeakTag(body));
  return sendResponse(exchange, status, headers, body);
}
