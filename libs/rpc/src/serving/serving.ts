import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Interceptor } from "@connectrpc/connect";
import type { Admit } from "./admission.ts";
import { flowControlWindowBytes, maxMessageBytes } from "../channels/transfer-limits.ts";
import { unavailable } from "../errors.ts";
import { healthService } from "../health/health.ts";
import type { ByteBudget } from "../limits/byte-budget.ts";
import { createRequestScheduler } from "../limits/request-scheduler.ts";
import { http2ServerOptions, limitHttp2 } from "../limits/http2-limits.ts";
import { connectionBacklog, type PortLimits } from "../limits/port-limits.ts";
import type { Logger } from "../logger.ts";
import type { Ready } from "../health/readiness.ts";
import { reflectionServices } from "../reflection/reflection.ts";
import type { ServiceRegistration } from "./registration.ts";
import { createRpcRequestHandler, type LimitMessages } from "./request-handler.ts";
import { createUnaryHandler, type UnaryHandler } from "./unary/unary-handler.ts";

/** An RPC server that is listening. */
export interface RpcServer {
  /** The port that the server listens on. */
  port: number;
  /**
   * Stops accepting calls and resolves when the active ones have ended. After `closeGraceMs`, they are aborted with Unavailable.
   * Closing again returns the same promise.
   */
  close(): Promise<void>;
  /** Returns the current number of connections and requests. Undefined if the server has no limits. */
  count(): { connections: number; requests: number } | undefined;
}

/** The options of `serveRpc`. */
export interface ServeOptions {
  host: string;
  /** The port to listen on. 0 selects a free port. */
  port: number;
  services: readonly ServiceRegistration[];
  interceptors: readonly Interceptor[];
  /** Decides from the headers whether a call of `services` is admitted; see `RpcRequestHandlerOptions`. */
  admit?: Admit;
  /** Whether to serve reflection. The default is true. */
  reflection?: boolean;
  /** The readiness check that health depends on. Without it, the server is healthy until it closes. */
  ready?: Ready;
  /** The maximum size of a message. The default is 64 MiB. */
  readMaxBytes?: number;
  /** The limits of the request messages of a method, instead of `readMaxBytes`; for servers with limits on clients. */
  limitMessages?: LimitMessages;
  /** The limits on clients. Servers that only trusted services call need none. */
  limits?: PortLimits;
  /** The budget for request bodies in memory. The default is unlimited. */
  bodyBudget?: ByteBudget;
  /** How long `close` waits for active calls, in milliseconds. The default is 10,000. */
  closeGraceMs?: number;
  logger?: Logger;
}

/**
 * Serves gRPC, gRPC-Web and Connect over HTTP/2 without TLS. Health (`grpc.health.v1`) and reflection are served without the
 * interceptors, and therefore without authentication. Rejects if the port is not available.
 */
export async function serveRpc(options: ServeOptions): Promise<RpcServer> {
  const draining = new AbortController();
  const shutdown = new AbortController();
  const described = options.services.map(({ service }) => service);
  const openServices = [healthService(described, draining.signal, options.ready)];
  if (options.reflection !== false) {
    const withHealth = [...described, ...openServices.map(({ service }) => service)];
    openServices.push(...reflectionServices(withHealth, draining.signal));
  }
  const handler = createRpcRequestHandler({
    services: options.services,
    interceptors: options.interceptors,
    openServices,
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    // Within a network, compression costs more than it saves.
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    shutdownSignal: shutdown.signal,
    ...(options.readMaxBytes === undefined ? {} : { readMaxBytes: options.readMaxBytes }),
    ...(options.limitMessages === undefined ? {} : { limitMessages: options.limitMessages }),
    ...(options.bodyBudget === undefined ? {} : { bodyBudget: options.bodyBudget }),
    ...(options.logger === undefined ? {} : { logger: options.logger }),
  });
  const server = createServer(
    options.limits === undefined
      ? { settings: { initialWindowSize: flowControlWindowBytes } }
      : http2ServerOptions(options.limits),
  );
  const sessions = trackSessions(server, options.limits !== undefined);
  const sockets = trackSockets(server);
  const limited = options.limits === undefined ? undefined : limitHttp2(server, options.limits);
  const schedule = createRequestScheduler();
  server.on("request", (request, response) => {
    if (limited === undefined) {
      handler(request, response);
      return;
    }
    const started = limited.begin(request, response);
    if (started === undefined) return;
    schedule({
      isNew: started.isNew,
      isGone: () => request.stream.destroyed,
      begin: () => handler(request, response, { progress: started.progress }),
    });
  });
  // Only the request handler enforces limits, admission and the budget.
  if (options.limits === undefined && options.admit === undefined && options.bodyBudget === undefined) {
    const { services, interceptors, readMaxBytes = maxMessageBytes, logger } = options;
    const handleUnary = createUnaryHandler({
      ...{ services, interceptors, readMaxBytes, shutdownSignal: shutdown.signal },
      ...(logger === undefined ? {} : { logger }),
    });
    handleStreamsFirst(server, handleUnary);
  }
  server.listen({ port: options.port, host: options.host, backlog: connectionBacklog });
  await once(server, "listening");

  let closed: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    count: () => limited?.count(),
    close() {
      draining.abort();
      return (closed ??= drain(server, { sessions, sockets }, shutdown, options.closeGraceMs ?? 10_000).finally(() =>
        limited?.stop(),
      ));
    },
  };
}

/**
 * Passes requests to `handle` before Node.js creates request and response objects for them, which would take a tenth of the time of a
 * call. Node.js creates these objects in a "stream" listener, which it adds together with the first "request" listener.
 */
function handleStreamsFirst(server: Http2Server, handle: UnaryHandler): void {
  const createObjects = server.listeners("stream");
  server.removeAllListeners("stream");
  server.on("stream", (stream, headers, ...rest) => {
    handle(stream, headers, () => {
      for (const listener of createObjects) listener.call(server, stream, headers, ...rest);
    });
  });
}

function trackSessions(server: Http2Server, limited: boolean): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    // `initialWindowSize` applies to each stream but not to the connection.
    if (!limited) session.setLocalWindowSize(flowControlWindowBytes);
    session.once("close", () => sessions.delete(session));
    // Broken connections are not reported. Their calls are aborted.
    session.on("error", () => undefined);
  });
  return sessions;
}

function trackSockets(server: Http2Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

async function drain(
  server: Http2Server,
  { sessions, sockets }: { sessions: ReadonlySet<ServerHttp2Session>; sockets: ReadonlySet<Socket> },
  shutdown: AbortController,
  closeGraceMs: number,
): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const session of sessions) session.close();
  const abort = setTimeout(() => {
    shutdown.abort(unavailable("SHUTTING_DOWN", "The service is shutting down."));
  }, closeGraceMs);
  // Aborted calls have a second to send their status. A session that was closed would wait for its client to close the connection, too.
  const destroy = setTimeout(() => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
  }, closeGraceMs + 1_000);
  await closed;
  clearTimeout(abort);
  clearTimeout(destroy);
}
