import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  getProblemFacts,
  invalid,
  isRequestId,
  requestIdHeader,
  unavailable,
  type Logger,
  type Ready,
  type RpcRequestHandler,
} from "@switchyard/rpc";
import { Code } from "@connectrpc/connect";
import { sendResponse, sendProblem } from "./responses.ts";
import { endpointNotFound, methodNotAllowed, uriTooLong } from "./errors.ts";
import { getHeaderValues, createExchange, type Exchange } from "./exchange.ts";
import type { GatewayLimits } from "../limits/limits.ts";
import type { Handled } from "../rest/rest-handler.ts";

/** The options and dependencies of the request handler. */
export interface RequestHandlerOptions {
  readonly rest: (exchange: Exchange) => Promise<Handled>;
  readonly rpc: RpcRequestHandler;
  /**
   * The OpenAPI document as JSON. It is served here without a token; under /api/v1, `rest` serves it after the token check.
   */
  readonly openApi: Buffer;
  readonly ready: Ready;
  /** Aborted when the gateway closes. */
  readonly draining: AbortSignal;
  readonly limits: GatewayLimits;
  readonly logger: Logger;
}

/** Handles a request of the HTTP server. `expectsContinue` is true when the client waits before it sends the body. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

/** Creates the handler of the HTTP port, which serves REST, RPC and the paths that need no token. It never throws. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { logger, limits } = options;

  async function answer(exchange: Exchange): Promise<Handled> {
    const { request, path } = exchange;
    try {
      const target = request.url ?? "";
      if (target.length > limits.urlBytes) throw uriTooLong(limits.urlBytes);
      if (!target.startsWith("/")) throw invalid([{ field: "path", message: "must begin with a slash" }]);
      if (path === "/api/v1" || path.startsWith("/api/v1/")) return await options.rest(exchange);
      return { status: await answerPublicPath(exchange, options), method: undefined, error: undefined };
    } catch (error) {
      return { status: await sendProblem(exchange, error), method: undefined, error };
    }
  }

  return (request, response, expectsContinue) => {
    if (options.rpc.handles(request) && request.headers.host !== undefined) {
      // A request with several Authorization headers has no valid token. Node.js would keep the first and drop the others.
      if (getHeaderValues(request, "authorization").length > 1) delete request.headers.authorization;
      options.rpc(request, response, { expectsContinue });
      return;
    }
    const startedAt = performance.now();
    const sent = request.headers[requestIdHeader];
    const requestId = typeof sent === "string" && isRequestId(sent) ? sent : randomUUID();
    const exchange = createExchange(request, response, requestId, expectsContinue);
    response.setHeader(requestIdHeader, requestId);
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    // Broken connections are handled on "close". Without a listener, the error would end the process.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    answer(exchange)
      .then(({ status, method, error }) => {
        const ms = Math.round(performance.now() - startedAt);
        const line = { requestId, http: request.method, method, status, ms };
        const failed = error !== undefined && status >= 500 && getProblemFacts(error).code === Code.Internal;
        if (failed) logger.error({ ...line, err: error }, "request failed");
        else logger.info(line, "request");
      })
      .catch((error: unknown) => {
        logger.error({ requestId, err: error }, "response could not be sent");
        response.destroy();
      });
  };
}

/** Answers the paths that need no token. */
async function answerPublicPath(exchange: Exchange, options: RequestHandlerOptions): Promise<number> {
  const json = { "content-type": "application/json" };
  const bodies: Readonly<Record<string, () => Promise<string | Buffer>>> = {
    "/healthz": () => Promise.resolve('{"status":"ok"}'),
    "/readyz": () => checkReadiness(options),
    "/openapi.json": () => Promise.resolve(options.openApi),
  };
  const body = Object.hasOwn(bodies, exchange.path) ? bodies[exchange.path] : undefined;
  if (body === undefined) throw endpointNotFound();
  if (exchange.request.method !== "GET") {
    exchange.response.setHeader("allow", "GET");
    throw methodNotAllowed(exchange.request.method ?? "");
  }
  await sendResponse(exchange, 200, json, await body());
  return 200;
}

async function checkReadiness({ ready, draining }: RequestHandlerOptions): Promise<string> {
  if (draining.aborted) throw unavailable("SHUTTING_DOWN", "The gateway is shutting down.");
  await ready();
  return '{"status":"ready"}';
}
