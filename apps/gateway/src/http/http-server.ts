import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Code } from "@connectrpc/connect";
import type { ProblemReason } from "@switchyard/contracts/reasons";
import { problemContentType, toProblem } from "@switchyard/rest";
import { connectionBacklog, requestIdHeader } from "@switchyard/rpc";
import type { Cors } from "./cors.ts";
import { getPath, getRequestId } from "./exchange.ts";
import { findFramingProblem, toOriginForm } from "./framing.ts";
import { limitHttp } from "./http-limits.ts";
import type { GatewayLimits } from "../limits/limits.ts";
import { listen } from "./listening.ts";
import type { RequestQueue } from "../limits/request-queue.ts";
import type { RequestHandler } from "./request-handler.ts";
import { confidential } from "./responses.ts";

/** A running HTTP/1.1 server. */
export interface HttpServer {
  readonly port: number;
  /** Returns the current number of connections and requests. */
  count(): { connections: number; requests: number };
  /** Stops accepting connections. Resolves when the requests in progress are answered or the grace period is over. */
  close(): Promise<void>;
}

/** How long a client may take to read why its request was refused before the connection is closed. */
const lingerTimeoutMs = 1_000;

/** Starts the HTTP/1.1 server with its limits. Requests that the parser of Node.js rejects are also answered with a problem. */
export async function serveHttp(options: {
  host: string;
  port: number;
  handler: RequestHandler;
  limits: GatewayLimits;
  cors: Cors;
  /** The requests that wait to be started. While there are many, connections take turns. */
  queue: Pick<RequestQueue, "size">;
}): Promise<HttpServer> {
  const { handler, limits, cors, queue } = options;
  let closed: Promise<void> | undefined;
  const lastResponses = new WeakMap<Duplex, LastResponse>();
  const refused = new WeakSet<Duplex>();
  const headersTimeout = Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs);
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout,
    requestTimeout: limits.requestTimeoutMs,
    // Proxies keep idle connections for a minute or more. If the server closed one first, it could be just when the proxy sends a request.
    keepAliveTimeout: limits.idleTimeoutMs,
    // The timeouts may be exceeded by as much.
    connectionsCheckingInterval: Math.min(headersTimeout / 4, 2_500),
    requireHostHeader: false,
  });
  // Node.js would drop headers after the first 1,000 without a word. Their size is limited.
  server.maxHeadersCount = 0;
  const limited = limitHttp(server, limits, queue);
  const receive =
    (expectsContinue: boolean) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      // The connection was refused. What the client sent meanwhile is ignored, but counts, because Node.js keeps it while the refusal waits.
      if (socket.writableEnded) return;
      const last: LastResponse = { response, previous: lastResponses.get(socket)?.response };
      const outcome = limited.begin(request, response, () => {
        if (request.complete && lastResponses.get(socket) === last) lastResponses.delete(socket);
      });
      if (refused.has(socket)) return;
      if (outcome === "overloaded") refuse(socket, "OVERLOADED", request);
      if (outcome !== "started") return;
      if (closed !== undefined) response.shouldKeepAlive = false;
      // The response of Node.js itself to a missing Host would have no body.
      const framingProblem = findFramingProblem(request);
      if (framingProblem !== undefined) {
        refuse(socket, framingProblem, request);
        return;
      }
      request.url = toOriginForm(request.url ?? "");
      lastResponses.set(socket, last);
      handler(request, response, expectsContinue);
    };
  server.on("request", receive(false));
  server.on("checkContinue", receive(true));
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    // An empty list expects nothing.
    if (request.headers.expect?.trim() === "") receive(false)(request, response);
    else refuse(request.socket, "EXPECTATION_FAILED", request);
  });
  // Without this, Node.js closes the connection.
  server.on("connect", (request, socket) => {
    socket.on("error", () => socket.destroy());
    refuse(socket, "CONNECT", request);
  });
  server.on("clientError", (error: ParserError, socket) => {
    const response = lastResponses.get(socket)?.response;
    const isOpen = response !== undefined && !response.closed;
    // What follows a request with "Connection: close" is ignored, and the connection is closed after the response.
    if (error.code === "HPE_CLOSED_CONNECTION" && isOpen) return;
    // Nothing can be sent in the middle of the response to a request whose rest is faulty, or to a client that has disconnected.
    const isResponding =
      isOpen && !response.req.complete && response.headersSent && !response.writableEnded && response.socket !== null;
    if (socket.writableEnded && !socket.destroyed) return;
    // If the body of a request is faulty or late, its headers are known.
    const request = response?.req.complete === false ? response.req : undefined;
    const method = request?.method ?? error.rawPacket?.toString("latin1", 0, 5).trimEnd();
    if (!socket.writable || isResponding || error.code === "ECONNRESET") socket.destroy();
    else refuse(socket, error.code ?? "", request, method === "HEAD");
  });
  const listening = await listen(server, { port: options.port, host: options.host, backlog: connectionBacklog });
  return {
    port: listening.port,
    count: () => limited.count(),
    close: () => (closed ??= drain()),
  };

  /**
   * Refuses the last request of a connection, which the HTTP server has given up, after the requests before it are answered. Nothing that
   * the client sends afterwards is answered.
   */
  function refuse(...parameters: Parameters<typeof sendRefusal>): void {
    const [socket, cause] = parameters;
    if (refused.has(socket)) return;
    refused.add(socket);
    // Node.js no longer manages the connection of CONNECT, and the client of an incomplete request has gone.
    const isLost = cause === "CONNECT" || cause === "HPE_INVALID_EOF_STATE";
    const refuseNext = (): void => {
      const last = lastResponses.get(socket);
      const before = findUnanswered(last);
      if (before !== undefined && isLost) socket.destroy();
      else if (before !== undefined) before.once("close", refuseNext);
      else if (!socket.writable) return;
      // The request got another response before its body turned out to be faulty.
      else if (last?.response.req.complete === false && last.response.headersSent) socket.end();
      else sendRefusal(...parameters);
    };
    refuseNext();
  }

  /**
   * Writes a problem directly to the socket of a connection and closes it. Without a request, neither its path nor its ID is known. The
   * response to HEAD has no body.
   */
  function sendRefusal(
    socket: Duplex,
    cause: string,
    request: IncomingMessage | undefined,
    isHead = request?.method === "HEAD",
  ): void {
    const requestId = request === undefined ? randomUUID() : getRequestId(request);
    const { code, reason, message } = refusals[cause] ?? malformed;
    const facts = { code, reason, message, metadata: {}, violations: [] };
    const problem = toProblem(facts, { instance: request === undefined ? "" : getPath(request), requestId });
    const body = JSON.stringify(problem);
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ""}`,
      `content-type: ${problemContentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `${requestIdHeader}: ${requestId}`,
      `date: ${new Date().toUTCString()}`,
      `vary: ${cors.vary}`,
      ...(code === Code.Unavailable ? ["retry-after: 1"] : []),
      ...Object.entries({ ...confidential, ...(request && cors.getHeaders(request)) }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${isHead ? "" : body}`);
    setTimeout(() => socket.destroy(), lingerTimeoutMs).unref();
  }

  async function drain(): Promise<void> {
    limited.endTurns();
    // A connection whose request has not been read yet counts as idle. One iteration of the event loop reads it.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const done = listening.close();
    server.closeIdleConnections();
    // A connection whose last response is sent while the server closes would stay open for another request.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const timer = setTimeout(() => server.closeAllConnections(), limits.closeGraceMs);
    await done;
    clearInterval(sweep);
    clearTimeout(timer);
    limited.stop();
  }
}

/** The response to the last request of a connection, and the one to the request before it unless it was closed by then. */
interface LastResponse {
  readonly response: ServerResponse;
  readonly previous: ServerResponse | undefined;
}

/**
 * Returns the last response that must be complete before a refusal is sent; undefined if there is none. The refused request itself is the
 * last one if it has not arrived completely, unless it already has a response.
 */
function findUnanswered(last: LastResponse | undefined): ServerResponse | undefined {
  if (last === undefined) return undefined;
  const { response, previous } = last;
  const before = response.req.complete || response.headersSent ? response : previous;
  return before === undefined || before.closed ? undefined : before;
}

/** An error of the HTTP parser, with the bytes that it could not parse. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

interface Refusal {
  readonly code: Code;
  readonly reason: ProblemReason;
  readonly message: string;
}

const malformed: Refusal = {
  code: Code.InvalidArgument,
  reason: "MALFORMED_REQUEST",
  message: "The request is not valid HTTP.",
};

// By the error codes of the HTTP parser and server of Node.js.
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_URL: {
    ...malformed,
    message: "The request target is not a valid URL. Percent-encode spaces and characters that are not ASCII.",
  },
  HPE_HEADER_OVERFLOW: {
    code: Code.InvalidArgument,
    reason: "HEADERS_TOO_LARGE",
    message: "The request line and headers are too large.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: Code.DeadlineExceeded,
    reason: "REQUEST_TIMEOUT",
    message: "The request took too long to arrive.",
  },
  EXPECTATION_FAILED: {
    code: Code.InvalidArgument,
    reason: "EXPECTATION_FAILED",
    message: "The only supported expectation is 100-continue.",
  },
  OVERLOADED: {
    code: Code.Unavailable,
    reason: "OVERLOADED",
    message: "Too many requests are in progress. Try again later.",
  },
  CONNECT: {
    code: Code.InvalidArgument,
    reason: "INVALID_REQUEST",
    message: "This server is no proxy, so it does not support the method CONNECT.",
  },
  HOST_MISSING: { code: Code.InvalidArgument, reason: "HOST_MISSING", message: "A Host header is required." },
  HOST_REPEATED: { ...malformed, message: "The request has more than one Host header." },
  HOST_INVALID: { ...malformed, message: "The Host header must be a host and an optional port." },
  VERSION: { ...malformed, message: "The only supported versions of this protocol are HTTP/1.0 and HTTP/1.1." },
  TRANSFER_CODING: {
    ...malformed,
    message: "The only supported transfer coding is chunked, applied once, and HTTP/1.0 has none.",
  },
};
