import type { IncomingMessage, ServerResponse } from "node:http";
import {
  getProblemFacts,
  invalid,
  requestIdHeader,
  unavailable,
  type Logger,
  type Ready,
  type RpcRequestHandler,
} from "@switchyard/rpc";
import { Code } from "@connectrpc/connect";
import type { Cors } from "./cors.ts";
import type { Document } from "./document.ts";
import { confidential, sendProblem, sendResponse } from "./responses.ts";
import { endpointNotFound, uriTooLong } from "./errors.ts";
import { sendDocument, respondToOptions, sendFixedFile } from "./fixed-document.ts";
import { createExchange, getRequestId, type Exchange } from "./exchange.ts";
import type { GatewayLimits } from "../limits/limits.ts";
import type { RequestQueue } from "../limits/request-queue.ts";
import type { RefuseEarly } from "../rest/early-refusals.ts";
import type { Handled } from "../rest/rest-handler.ts";
import { serveConsole, type ServedConsole } from "../console/serve-console.ts";
import type { Viewer } from "../viewer/viewer.ts";

/** The options and dependencies of the request handler. */
export interface RequestHandlerOptions {
  readonly rest: (exchange: Exchange) => Promise<Handled>;
  readonly rpc: RpcRequestHandler;
  readonly refuseEarly: RefuseEarly;
  /** The requests that wait to be started. Those for paths that need no token, such as health checks, do not wait. */
  readonly queue: RequestQueue;
  /**
   * The OpenAPI document as JSON. It is served here without a token; under /api/v1, `rest` serves it after the token check.
   */
  readonly getOpenApi: () => Document;
  /** The viewer of the API. It is served without a token. */
  readonly viewer: Viewer;
  /** The console, which is served without a token; undefined if it is off. */
  readonly console: ServedConsole | undefined;
  readonly cors: Cors;
  readonly ready: Ready;
  /** Aborted when the gateway closes. */
  readonly draining: AbortSignal;
  readonly limits: GatewayLimits;
  readonly logger: Logger;
}

/** Handles a request of the HTTP server. `expectsContinue` is true when the client waits before it sends the body. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

const ignoreError = (): void => undefined;

/** The methods that the server supports on any path, for `OPTIONS *`. */
const serverMethods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/** Creates the handler of the HTTP port, which serves REST, RPC and the paths that need no token. It never throws. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { logger, limits } = options;

  async function respond(exchange: Exchange): Promise<Handled> {
    const { request, path } = exchange;
    try {
      const target = request.url ?? "";
      if (target.length > limits.urlBytes) throw uriTooLong(limits.urlBytes);
      if (target === "*" && request.method === "OPTIONS") {
        const status = await sendResponse(exchange, 204, { allow: serverMethods }, undefined);
        return { status, method: undefined, error: undefined };
      }
      if (!target.startsWith("/")) throw invalid([{ field: "path", message: "must begin with a slash" }]);
      if (path === "/api/v1" || path.startsWith("/api/v1/")) return await options.rest(exchange);
      return { status: await servePublicPath(exchange, options), method: undefined, error: undefined };
    } catch (error) {
      return { status: await sendProblem(exchange, error), method: undefined, error };
    }
  }

  async function respondAndLog(exchange: Exchange, arrivedAt: number): Promise<void> {
    const { request, response, requestId } = exchange;
    try {
      const { status, method, error } = await respond(exchange);
      const ms = Math.round(performance.now() - arrivedAt);
      const line = { requestId, http: request.method, method, status, ms };
      const failed = error !== undefined && status >= 500 && getProblemFacts(error).code === Code.Internal;
      if (failed) logger.error({ ...line, err: error }, "request failed");
      else logger.info(line, "request");
    } catch (error) {
      logger.error({ requestId, err: error }, "response could not be sent");
      response.destroy();
    }
  }

  function start({ request, response, expectsContinue, isCall, arrivedAt }: Arrival): void {
    const varying = { ...options.cors.getHeaders(request), vary: options.cors.vary };
    if (isCall && !options.cors.isPreflight(request) && request.headers.host !== undefined) {
      for (const [name, value] of Object.entries({ ...varying, ...confidential })) response.setHeader(name, value);
      options.rpc(request, response, { expectsContinue });
      return;
    }
    const requestId = getRequestId(request);
    const headers = { ...varying, [requestIdHeader]: requestId, ...confidential };
    const exchange = createExchange(request, response, { requestId, headers, expectsContinue });
    // Broken connections are handled on "close". Without a listener, the error would end the process.
    request.on("error", ignoreError);
    response.on("error", ignoreError);
    void respondAndLog(exchange, arrivedAt);
  }

  return (request, response, expectsContinue) => {
    if (options.refuseEarly(request, response, false)) return;
    const isCall = options.rpc.handles(request);
    const arrival: Arrival = { request, response, expectsContinue, isCall, arrivedAt: performance.now() };
    if (isCall || request.url?.startsWith("/api/") === true) {
      options.queue.add({
        arrivedAt: arrival.arrivedAt,
        isComplete: () => request.complete,
        begin() {
          // Those that were started since the request arrived may have taken the last places.
          if (request.socket.destroyed || options.refuseEarly(request, response, true)) return false;
          start(arrival);
          return true;
        },
      });
    } else start(arrival);
  };
}

/** A request that has arrived but has not been started. */
interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly expectsContinue: boolean;
  /** Whether the request is a call over RPC. */
  readonly isCall: boolean;
  readonly arrivedAt: number;
}

/** Answers the paths that need no token. */
async function servePublicPath(exchange: Exchange, options: RequestHandlerOptions): Promise<number> {
  const { path } = exchange;
  if (path === "/openapi.json") return sendDocument(exchange, options.getOpenApi());
  if (path === "/docs/") {
    if (await respondToOptions(exchange)) return 204;
    // A relative address, because a proxy may serve all of this under a path of its own.
    return sendResponse(exchange, 308, { location: "../docs" }, undefined);
  }
  const file = await options.viewer.find(path);
  if (file !== undefined) return sendFixedFile(exchange, file);
  const served = options.console && (await serveConsole(exchange, options.console));
  if (served !== undefined) return served;
  if (path !== "/healthz" && path !== "/readyz") {
    if (!options.cors.isPreflight(exchange.request)) throw endpointNotFound();
    // Pages may call RPC methods too.
    return sendResponse(exchange, 204, {}, undefined);
  }
  if (await respondToOptions(exchange)) return 204;
  const body = path === "/healthz" ? '{"status":"ok"}' : await checkReadiness(options);
  return sendResponse(exchange, 200, { "content-type": "application/json" }, body);
}

async function checkReadiness({ ready, draining }: RequestHandlerOptions): Promise<string> {
  if (draining.aborted) throw unavailable("SHUTTING_DOWN", "The gateway is shutting down.");
  await ready();
  return '{"status":"ready"}';
}
