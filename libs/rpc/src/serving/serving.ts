import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Interceptor } from "@connectrpc/connect";
import type { Admit } from "./admission.ts";
import { flowControlWindow } from "../channels/channel-options.ts";
import { unavailable } from "../errors.ts";
import { healthService } from "../health/health.ts";
import type { ByteBudget } from "../limits/byte-budget.ts";
import { createHandingOn } from "../limits/handing-on.ts";
import { http2ServerOptions, limitHttp2 } from "../limits/http2-limits.ts";
import { connectionBacklog, type PortLimits } from "../limits/port-limits.ts";
import type { Logger } from "../logger.ts";
import type { Ready } from "../health/readiness.ts";
import { reflectionService } from "../reflection/reflection.ts";
import type { ServiceRegistration } from "./registration.ts";
import { createRpcRequestHandler } from "./request-handler.ts";

/** A server of calls that is listening. */
export interface RpcServer {
  /** The port it listens on. */
  port: number;
  /**
   * Takes no more calls, lets those under way end, and resolves when all are done. After the drain time they are
   * aborted with Unavailable. May be called again; all calls resolve together.
   */
  close(): Promise<void>;
  /** How many connections and requests there are at the moment; undefined without limits. */
  count(): { connections: number; requests: number } | undefined;
}

/** What to serve, and where. */
export interface ServeOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  services: readonly ServiceRegistration[];
  interceptors: readonly Interceptor[];
  /** Decides by its headers whether a call of `services` is taken; see `RpcRequestHandlerOptions`. */
  admit?: Admit;
  /** Whether grpc.reflection.v1 answers; it does by default. */
  reflection?: boolean;
  /** What health depends on besides; without it, the server is healthy until it closes. */
  ready?: Ready;
  /** The largest message accepted; 64 MiB by default. */
  readMaxBytes?: number;
  /** What clients may take; without it, whatever they want, which is for services of one house. */
  limits?: PortLimits;
  /** What the bodies of requests may take in memory at once; unlimited by default. */
  bodyBudget?: ByteBudget;
  /** How long `close` waits for calls under way, in milliseconds; 10,000 by default. */
  closeGraceMs?: number;
  logger?: Logger;
}

/**
 * Serves gRPC, gRPC-Web and Connect over HTTP/2 without TLS. Health (grpc.health.v1) and reflection answer too, without
 * the interceptors, so without an identity. Rejects when the port cannot be had.
 */
export async function serveRpc(options: ServeOptions): Promise<RpcServer> {
  const draining = new AbortController();
  const shutdown = new AbortController();
  const described = options.services.map(({ service }) => service);
  const openServices = [healthService(described, draining.signal, options.ready)];
  if (options.reflection !== false) {
    const withHealth = [...described, ...openServices.map(({ service }) => service)];
    openServices.push(reflectionService(withHealth, draining.signal));
  }
  const handler = createRpcRequestHandler({
    services: options.services,
    interceptors: options.interceptors,
    openServices,
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    // Between processes of one network, compressing costs more than it saves.
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    shutdownSignal: shutdown.signal,
    ...(options.readMaxBytes === undefined ? {} : { readMaxBytes: options.readMaxBytes }),
    ...(options.bodyBudget === undefined ? {} : { bodyBudget: options.bodyBudget }),
    ...(options.logger === undefined ? {} : { logger: options.logger }),
  });
  const server = createServer(
    options.limits === undefined
      ? { settings: { initialWindowSize: flowControlWindow } }
      : http2ServerOptions(options.limits),
  );
  const sessions = trackSessions(server, options.limits !== undefined);
  const limited = options.limits === undefined ? undefined : limitHttp2(server, options.limits);
  const handOn = createHandingOn();
  server.on("request", (request, response) => {
    if (limited === undefined) {
      handler(request, response);
      return;
    }
    const begun = limited.begin(request, response);
    if (begun === undefined) return;
    handOn({
      newcomer: begun.newcomer,
      isGone: () => request.stream.destroyed,
      begin: () => handler(request, response, { progress: begun.progress }),
    });
  });
  server.listen({ port: options.port, host: options.host, backlog: connectionBacklog });
  await once(server, "listening");

  let closed: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    count: () => limited?.count(),
    close() {
      draining.abort();
      return (closed ??= drain(server, sessions, shutdown, options.closeGraceMs ?? 10_000).finally(() =>
        limited?.stop(),
      ));
    },
  };
}

function trackSessions(server: Http2Server, limited: boolean): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    // The window of the connection does not follow `initialWindowSize`, which is that of each stream.
    if (!limited) session.setLocalWindowSize(flowControlWindow);
    session.once("close", () => sessions.delete(session));
    // Connections that break are not ours to report; calls on them are aborted.
    session.on("error", () => undefined);
  });
  return sessions;
}

async function drain(
  server: Http2Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  shutdown: AbortController,
  closeGraceMs: number,
): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const session of sessions) session.close();
  const abort = setTimeout(() => {
    shutdown.abort(unavailable("SHUTTING_DOWN", "The service is shutting down."));
  }, closeGraceMs);
  // Aborted calls still have to send their status; what is then left does not listen.
  const destroy = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, closeGraceMs + 1_000);
  await closed;
  clearTimeout(abort);
  clearTimeout(destroy);
}
