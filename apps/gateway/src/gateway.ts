import type { TokenVerifier } from "@switchyard/access";
import type { DescService } from "@bufbuild/protobuf";
import { createOpenApi, createRestApi } from "@switchyard/rest";
import {
  createByteBudget,
  createRpcRequestHandler,
  errorInterceptor,
  loggingInterceptor,
  reflectionServices,
  requestIdInterceptors,
  serveRpc,
  type Logger,
  type Ready,
} from "@switchyard/rpc";
import { defaultLimits, type GatewayLimits } from "./limits/limits.ts";
import { withCurrentCaller } from "./access/current-caller.ts";
import { createForwarder, type PublicService } from "./forwarding/forwarding.ts";
import { createMessageLimits } from "./limits/message-limits.ts";
import { createMethodLimiters, withConcurrencyLimits } from "./limits/method-limiters.ts";
import { withRecordedRefusals, type RecordRefusal } from "./access/refusals.ts";
import { createRequestQueue } from "./limits/request-queue.ts";
import { createCors } from "./http/cors.ts";
import { createDocument } from "./http/document.ts";
import type { Document } from "./http/document.ts";
import { createRequestHandler } from "./http/request-handler.ts";
import { examples } from "./gen/openapi-examples.ts";
import type { LeaseRequests } from "./rate-limit/rate-limiter.ts";
import { createRateLimit } from "./rate-limit/rate-limit.ts";
import { createEarlyRefusals } from "./rest/early-refusals.ts";
import { createRestHandler } from "./rest/rest-handler.ts";
import { serveHttp } from "./http/http-server.ts";
import { admitByToken } from "./access/token-admission.ts";
import type { ServedConsole } from "./console/serve-console.ts";
import { createViewer } from "./viewer/viewer.ts";

/** The options and dependencies of a gateway. */
export interface GatewayOptions {
  readonly host: string;
  /** For REST, Connect and gRPC-Web over HTTP/1.1; 0 for any free port. */
  readonly port: number;
  /** For gRPC; 0 for any free port. */
  readonly grpcPort: number;
  /** The public services. All of their methods are served. */
  readonly services: readonly PublicService[];
  readonly verifier: TokenVerifier;
  readonly recordRefusal: RecordRefusal;
  readonly leaseRequests: LeaseRequests;
  /** How many requests a token may make in a minute, over REST and RPC together; 0, the default, means any number. */
  readonly requestsPerMinute?: number;
  readonly logger: Logger;
  readonly limits?: Partial<GatewayLimits>;
  /** The origins, such as `https://app.example.com`, whose pages may use the gateway in a browser; none by default. */
  readonly corsOrigins?: readonly string[];
  /** The console, which is served at `/`; none by default. */
  readonly console?: ServedConsole | undefined;
  /** Rejects while the system is not ready. /readyz then answers 503 with the reason, and gRPC health NOT_SERVING. */
  readonly ready?: Ready;
}

/** The current load of a gateway. */
export interface GatewayCount {
  readonly http: { connections: number; requests: number };
  readonly grpc: { connections: number; requests: number };
  readonly bodyBytes: number;
}

/** A running gateway. */
export interface Gateway {
  readonly port: number;
  readonly grpcPort: number;
  /** The URL of the HTTP port, without a trailing slash. */
  readonly url: string;
  /** Returns the current connections and requests of each port, and the bytes that bodies take in memory on both. */
  count(): GatewayCount;
  /** Stops accepting requests. Resolves when those under way are answered or the grace period is over. */
  close(): Promise<void>;
}

/** Starts a gateway with the same methods and the same token check on both ports. Rejects if a port cannot be bound. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { host, verifier, logger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const getLimiter = createMethodLimiters({
    maxConcurrent: limits.maxCallsPerMethod,
    maxWaiting: limits.maxWaitingPerMethod,
    maxWaitMs: limits.maxCallWaitMs,
    targetLatencyMs: limits.targetLatencyMs,
  });
  const services = options.services.map(({ service, transport }) => ({
    service,
    transport: withRecordedRefusals(
      withCurrentCaller(withConcurrencyLimits(transport, getLimiter), verifier),
      options.recordRefusal,
    ),
  }));
  const draining = new AbortController();
  const registrations = services.map((service) => createForwarder(service, limits.deadlineMs, draining.signal));
  const interceptors = [requestIdInterceptors.server, loggingInterceptor(logger), errorInterceptor(logger)];
  const limitRate = createRateLimit({
    requestsPerMinute: options.requestsPerMinute ?? 0,
    leaseRequests: options.leaseRequests,
  });
  const admit = admitByToken(verifier, limitRate, getLimiter);
  const bodyBudget = createByteBudget({ maxBytes: limits.maxBodyBytes, maxWaitMs: limits.bodyTimeoutMs });
  const shutdown = new AbortController();
  const ready = options.ready ?? (() => Promise.resolve());
  // Created for the first request, because few want it and it would make every start slower.
  let openApi: Document | undefined;
  const getOpenApi = (): Document => (openApi ??= describeApi(services));
  const cors = createCors(options.corsOrigins ?? []);
  const api = createRestApi(services.map(({ service }) => service));
  const limitMessages = createMessageLimits(api.routes, limits.rpcMessageBytes);
  const queue = createRequestQueue();
  const handler = createRequestHandler({
    queue,
    refuseEarly: createEarlyRefusals({ api, verifier, limitRate, getLimiter, queue, cors, limits, logger }),
    rest: createRestHandler({
      ...limits,
      api,
      services,
      verifier,
      limitRate,
      getLimiter,
      getOpenApi,
      cors,
      bodyBudget,
      draining: draining.signal,
    }),
    rpc: createRpcRequestHandler({
      services: registrations,
      interceptors,
      admit,
      openServices: reflectionServices(
        services.map(({ service }) => service),
        draining.signal,
      ),
      limitMessages,
      bodyBudget,
      shutdownSignal: shutdown.signal,
      logger,
    }),
    getOpenApi,
    viewer: createViewer(),
    console: options.console,
    cors,
    ready,
    draining: draining.signal,
    limits,
    logger,
  });
  const http = await serveHttp({ host, port: options.port, handler, limits, cors, queue });
  const grpc = await serveRpc({
    host,
    port: options.grpcPort,
    services: registrations,
    interceptors,
    admit,
    ready,
    reflection: true,
    closeGraceMs: limits.closeGraceMs,
    limitMessages,
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

/** Creates the OpenAPI document of services. */
function describeApi(services: readonly { readonly service: DescService }[]): Document {
  const described = services.map(({ service }) => service);
  const description = createOpenApi(described, { title: "Switchyard", version: "v1", examples });
  return createDocument(Buffer.from(JSON.stringify(description)));
}
