import { create } from "@bufbuild/protobuf";
import type { ServiceImpl, Transport } from "@connectrpc/connect";
import {
  createIdentityKeys,
  createTokenVerifier,
  identitySigner,
  identityVerifier,
  mintTokenSecret,
} from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { IdentityService, TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { ClassifierService, type ClassifyRequest } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { BenchmarkService, ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import {
  clientInterceptors,
  conflict,
  createChannelTransport,
  createDirectTransport,
  createLogger,
  notFound,
  register,
  requestIdKey,
  serverInterceptors,
  serveRpc,
  type ServiceRegistration,
  unauthenticated,
} from "@switchyard/rpc";
import { Writable } from "node:stream";
import type { RecordRefusal, Refusal } from "../access/refusals.ts";
import { createGateway, type Gateway, type GatewayLimits, publicServices, type ServedConsole } from "../index.ts";
import type { LeaseRequests } from "../rate-limit/rate-limiter.ts";
import { createFileMethods, type FileProbe } from "./stored-files.ts";

/** What the services behind the gateway received. */
export interface Probe extends FileProbe {
  readonly classified: ClassifyRequest[];
  readonly headers: Headers[];
  readonly requestIds: string[];
  /** The calls that never end on their own and have reached their service. */
  readonly calls: string[];
  readonly aborted: string[];
  readonly log: string[];
  readonly refusals: Refusal[];
}

/** The state of a token at its next lookup. */
export type TokenState = "revoked" | "cannot be looked up" | { permissions: Permission[]; projectIds: string[] };

/** How the gateway reaches the services: in its own process, or over gRPC. */
export type Way = "direct" | "channel";

/** A gateway in front of minimal services, with the real tokens, identities and transports. */
export interface TestGateway extends Probe {
  readonly gateway: Gateway;
  /** Closes the gateway and the services. */
  stop(): Promise<void>;
  readonly token: string;
  readonly readOnlyToken: string;
  /** Issues a token with all permissions in the projects prj_1 and prj_2. */
  issue(): string;
  /** Changes the state of a token. */
  change(token: string, state: TokenState): void;
}

const everything = Object.values(Permission).filter(
  (permission) => permission > Permission.AUTHENTICATED && permission < 12,
);

const unlimited = {
  requestsPerMinute: 0,
  leaseRequests: () => Promise.reject(new Error("A gateway without a rate limit leases nothing")),
};

/** Starts a gateway. The caller of `token` has all permissions, and that of `readOnlyToken` only models:read. */
export async function startTestGateway(
  limits: Partial<GatewayLimits> = {},
  way: Way = "direct",
  corsOrigins: readonly string[] = [],
  rateLimit: { requestsPerMinute: number; leaseRequests: LeaseRequests } = unlimited,
  console?: ServedConsole,
): Promise<TestGateway> {
  const probe: Probe = {
    stored: [],
    uploads: { begun: 0, ended: 0 },
    classified: [],
    headers: [],
    requestIds: [],
    calls: [],
    aborted: [],
    downloads: { begun: 0, ended: 0 },
    log: [],
    refusals: [],
  };
  const token = mintTokenSecret("ORGANIZATION");
  const readOnlyToken = mintTokenSecret("PROJECT");
  const tokens = new Map<string, TokenState>([
    [token, { permissions: everything, projectIds: ["prj_1"] }],
    [readOnlyToken, { permissions: [Permission.MODELS_READ], projectIds: ["prj_1"] }],
  ]);
  const verifier = createTokenVerifier({
    lookup: async (secret) => {
      const state = tokens.get(secret) ?? "revoked";
      if (state === "revoked") throw unauthenticated("TOKEN_INVALID", "The token is not valid.");
      if (state === "cannot be looked up") throw new Error("the configuration service is gone");
      return create(CallerSchema, {
        tokenId: secret === readOnlyToken ? "tok_2" : `tok_${secret.slice(-8)}`,
        userId: "usr_1",
        organizationId: "org_1",
        scope: TokenScope.ORGANIZATION,
        ...state,
      });
    },
  });
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      probe.log.push(chunk.toString());
      done();
    },
  });
  const logger = createLogger({ name: "test", level: "info", destination });
  const keys = createIdentityKeys(Buffer.alloc(32, 7));
  const registrations = [
    register(IdentityService, identityService(probe)),
    register(ConfigurationService, partial(ConfigurationService)),
    register(ExtractionService, partial(ExtractionService, createFileMethods(probe))),
    register(ClassifierService, classifierService(probe)),
    register(BenchmarkService, benchmarkService(probe)),
  ];
  const cleanups: (() => Promise<void> | void)[] = [];
  async function reach(audience: string, services: ServiceRegistration[]): Promise<Transport> {
    const serverSide = [...serverInterceptors({ logger }), identityVerifier({ audience, keys })];
    const interceptors = [...clientInterceptors(), identitySigner({ service: "gateway", audience, keys })];
    if (way === "direct") return createDirectTransport({ services, serverInterceptors: serverSide, interceptors });
    const server = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors: serverSide });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}`, interceptors });
    cleanups.push(
      () => transport.close(),
      () => server.close(),
    );
    return transport;
  }
  const services = await Promise.all(
    publicServices.map(async ({ service, audience }) => ({
      service,
      transport: await reach(
        audience,
        registrations.filter((registration) => registration.service === service),
      ),
    })),
  );
  const recordRefusal: RecordRefusal = async (refusal) => {
    await Promise.resolve();
    probe.refusals.push(refusal);
  };
  const gateway = await createGateway({
    host: "127.0.0.1",
    port: 0,
    grpcPort: 0,
    services,
    verifier,
    recordRefusal,
    leaseRequests: rateLimit.leaseRequests,
    requestsPerMinute: rateLimit.requestsPerMinute,
    logger,
    limits,
    corsOrigins,
    console,
  });
  async function stop(): Promise<void> {
    await gateway.close();
    for (const close of cleanups) await close();
  }
  function issue(): string {
    const issued = mintTokenSecret("ORGANIZATION");
    tokens.set(issued, { permissions: everything, projectIds: ["prj_1", "prj_2"] });
    return issued;
  }
  const change = (changed: string, state: TokenState) => void tokens.set(changed, state);
  return { gateway, stop, token, readOnlyToken, issue, change, ...probe };
}

function partial<S extends Parameters<typeof register>[0]>(_service: S, methods: Partial<ServiceImpl<S>> = {}) {
  return methods as ServiceImpl<S>;
}

function identityService(probe: Probe): ServiceImpl<typeof IdentityService> {
  return partial(IdentityService, {
    getMe(_request, context) {
      probe.headers.push(context.requestHeader);
      probe.requestIds.push(context.values.get(requestIdKey));
      return { token: { id: "tok_1", name: "first" }, user: { id: "usr_1", name: "Ada" } };
    },
    async getProject({ projectId }, { signal }) {
      if (projectId === "boom") throw new Error("secret detail");
      if (projectId === "full") throw Object.assign(new Error("disk"), { name: "MongoServerError", code: 14031 });
      if (projectId === "slow") {
        probe.calls.push(projectId);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        probe.aborted.push(projectId);
      }
      throw notFound("project", projectId, "projectId");
    },
  });
}

function classifierService(probe: Probe): ServiceImpl<typeof ClassifierService> {
  return partial(ClassifierService, {
    listClassifiers: ({ projectId, limit }) => ({
      classifiers: [{ id: "clf_1", name: projectId, projectId }],
      ...(limit === undefined ? {} : { nextPageToken: "next" }),
    }),
    addRoute({ classifierId, modelId }) {
      if (modelId === "mdl_taken")
        throw conflict("ROUTE_EXISTS", "There is such a route.", { existingRouteId: "rte_9" });
      return { id: "rte_1", modelId, name: classifierId, enabled: true };
    },
    classify(request) {
      probe.classified.push(request);
      return { id: "cls_1", classifierId: request.classifierId };
    },
  });
}

function benchmarkService(probe: Probe): ServiceImpl<typeof BenchmarkService> {
  return partial(BenchmarkService, {
    async *watchExecution({ executionId }, { signal }) {
      if (executionId === "none") throw notFound("execution", executionId);
      yield { executionId, status: ExecutionStatus.RUNNING, progress: { total: 2, done: 0 } };
      if (executionId === "broken") throw notFound("execution", executionId);
      if (executionId === "endless") {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        probe.aborted.push(executionId);
        return;
      }
      if (executionId === "slow") await new Promise((resolve) => setTimeout(resolve, 300));
      yield { executionId, status: ExecutionStatus.COMPLETED, progress: { total: 2, done: 2 } };
    },
  });
}
