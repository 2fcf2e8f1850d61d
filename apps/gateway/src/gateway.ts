import type { TokenVerifier } from "@switchyard/access";
import { createOpenApi } from "@switchyard/rest";
import {
  createByteBudget,
  createRpcRequestHandler,
  errorInterceptor,
  loggingInterceptor,
  reflectionService,
  requestIdInterceptors,
  serveRpc,
  type Logger,
  type Ready,
} from "@switchyard/rpc";
import { defaultLimits, type GatewayLimits } from "./limits.ts";
import { withCurrentCaller } from "./current-caller.ts";
import { forwardTo, type PublicService } from "./forwarding.ts";
import { createMethodTurns, withTurns } from "./overload.ts";
import { withRecordedRefusals, type RecordRefusal } from "./refusals.ts";
import { createRequestHandler } from "./request-handler.ts";
import { examples } from "./gen/openapi-examples.ts";
import { createRestHandler } from "./rest-handler.ts";
import { serveHttp } from "./http-server.ts";
import { admitByToken } from "./token-admission.ts";

/** What a gateway needs. */
export interface GatewayOptions {
  readonly host: string;
  /** For REST, Connect and gRPC-Web over HTTP/1.1; 0 for any free port. */
  readonly port: number;
  /** For gRPC; 0 for any free port. */
  readonly grpcPort: number;
  /** Public services only: everything in them is served. */
  readonly services: readonly PublicService[];
  readonly verifier: Pick<TokenVerifier, "verify" | "refresh">;
  readonly recordRefusal: RecordRefusal;
  readonly logger: Logger;
  readonly limits?: Partial<GatewayLimits>;
  /** Rejects while the system is not ready; /readyz then answers 503 with its reason, and the gRPC port's health NOT_SERVING. */
  readonly ready?: Ready;
}

/** What a gateway has to do at a moment. */
export interface GatewayCount {
  readonly http: { connections: number; requests: number };
  readonly grpc: { connections: number; requests: number };
  readonly bodyBytes: number;
}

/** A gateway that is listening. */
export interface Gateway {
  readonly port: number;
  readonly grpcPort: number;
  /** Of the HTTP side, without a trailing slash. */
  readonly url: string;
  /** How many connections and requests each port has at the moment, and how many bytes of bodies both have taken in memory. */
  count(): GatewayCount;
  /** Takes no more requests and resolves when those under way are answered, or 10 s later. */
  close(): Promise<void>;
}

/** Starts a gateway: the same methods and the same token check on both ports. Rejects when a port cannot be had. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { host, verifier, logger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const getTurns = createMethodTurns({
    maxUnderWay: limits.maxCallsPerMethod,
    maxWaiting: limits.maxWaitingPerMethod,
    maxWaitMs: limits.maxCallWaitMs,
    targetLatencyMs: limits.targetLatencyMs,
  });
  const services = options.services.map(({ service, transport }) => ({
    service,
    transport: withRecordedRefusals(withCurrentCaller(withTurns(transport, getTurns), verifier), options.recordRefusal),
  }));
  const draining = new AbortController();
  const registrations = services.map((service) => forwardTo(service, limits.deadlineMs, draining.signal));
  const interceptors = [requestIdInterceptors.server, loggingInterceptor(logger), errorInterceptor(logger)];
  const admit = admitByToken(verifier, getTurns);
  const bodyBudget = createByteBudget({ maxBytes: limits.maxBodyBytes, maxWaitMs: limits.bodyTimeoutMs });
  const shutdown = new AbortController();
  const ready = options.ready ?? (() => Promise.resolve());
  const openApi = Buffer.from(
    JSON.stringify(
      createOpenApi(
        services.map(({ service }) => service),
        { title: "Switchyard", version: "v1", examples },
      ),
    ),
  );
  const handler = createRequestHandler({
    rest: createRestHandler({
      ...limits,
      services,
      verifier,
      getTurns,
      openApi,
      bodyBudget,
      draining: draining.signal,
    }),
    rpc: createRpcRequestHandler({
      services: registrations,
      interceptors,
      admit,
      openServices: [
        reflectionService(
          services.map(({ service }) => service),
          draining.signal,
        ),
      ],
      readMaxBytes: limits.rpcMessageBytes,
      bodyBudget,
      shutdownSignal: shutdown.signal,
      logger,
    }),
    openApi,
    ready,
    draining: draining.signal,
    limits,
    logger,
  });
  const http = await serveHttp({ host, port: options.port, handler, limits });
  const grpc = await serveRpc({
    host,
    port: options.grpcPort,
    services: registrations,
    interceptors,
    admit,
    ready,
    reflection: true,
    closeGraceMs: limits.closeGraceMs,
    readMaxBytes: limits.rpcMessageBytes,
    limits,
    bodyBudget,
    logger,
  }).catch(async (error: unknown) => {
    await http.close();
    throw error;
  });
  return {
    port: http.port,
    grpcPort: grpc.port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${http.port}`,
    count: () => ({
      http: http.count(),
      grpc: grpc.count() ?? { connections: 0, requests: 0 },
      bodyBytes: bodyBudget.state().taken,
    }),
    async close() {
      draining.abort();
      const timer = setTimeout(() => shutdown.abort(), limits.closeGraceMs);
      await Promise.all([http.close(), grpc.close()]);
      clearTimeout(timer);
    },
  };
}
