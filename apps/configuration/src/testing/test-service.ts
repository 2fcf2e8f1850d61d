import { createClient } from "@connectrpc/connect";
import type { CallOptions, Client, Transport } from "@connectrpc/connect";
import {
  createIdentityKeys,
  createPageTokenKey,
  createTokenPepper,
  identitySigner,
  identityVerifier,
  withIdentity,
} from "@switchyard/access";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import {
  clientInterceptors,
  createDirectTransport,
  createLogger,
  getProblemFacts,
  serverInterceptors,
} from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { bootstrapOrganization } from "../bootstrap.ts";
import type { BootstrappedOrganization } from "../bootstrap.ts";
import { createConfigurationService, serviceName } from "../service.ts";

/** The number of rounds of each race: 10 in `npm test`, 200 in `npm run test:long`. */
export const rounds = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 200 : 10;

/** A service under test with a database of its own, called as by other services. */
export interface TestService {
  storage: Storage;
  tokenPepper: Uint8Array;
  identity: Client<typeof IdentityService>;
  configuration: Client<typeof ConfigurationService>;
  lookup: Client<typeof IdentityLookupService>;
  audit: Client<typeof AuditService>;
  targets: Client<typeof TargetService>;
  /** Returns a transport with the identity of this service. */
  getTransport(service: string): Transport;
  bootstrap(organizationName?: string): Promise<BootstrappedOrganization>;
  /** Returns the caller that a token's secret currently resolves to. */
  caller(secret: string): Promise<Caller>;
  /** Starts the background tasks. */
  start(): void;
  stop(): Promise<void>;
  close(): Promise<void>;
}

const rootSecret = new Uint8Array(32).fill(3);

/** Starts the service with a database of its own on the server at `uri`. Tests may provide the clock. */
export async function startTestService(uri: string, now: () => Date = () => new Date()): Promise<TestService> {
  const storage = await connectStorage({ uri, database: newId("test") });
  const logger = createLogger({ name: serviceName, level: "silent" });
  const tokenPepper = createTokenPepper(rootSecret);
  const service = createConfigurationService({
    storage,
    logger,
    tokenPepper,
    pageTokenSecret: createPageTokenKey(rootSecret, serviceName),
    now,
  });
  const keys = createIdentityKeys(rootSecret);
  const clock = (): number => now().getTime();
  await storage.ready();
  const getTransport = (name: string): Transport =>
    createDirectTransport({
      services: service.registrations,
      serverInterceptors: [
        ...serverInterceptors({ logger }),
        identityVerifier({ audience: serviceName, keys, now: clock }),
      ],
      interceptors: [
        ...clientInterceptors(),
        identitySigner({ service: name, audience: serviceName, keys, now: clock }),
      ],
    });
  const gateway = getTransport("gateway");
  const lookup = createClient(IdentityLookupService, gateway);
  return {
    storage,
    tokenPepper,
    identity: createClient(IdentityService, gateway),
    configuration: createClient(ConfigurationService, gateway),
    lookup,
    audit: createClient(AuditService, gateway),
    targets: createClient(TargetService, getTransport("classifier")),
    getTransport,
    bootstrap: (organizationName = "Acme") =>
      bootstrapOrganization(
        { storage, tokenPepper, now },
        { organizationName, userName: "Ada", tokenName: "First token" },
      ),
    caller: (secret) => lookup.verifyToken({ secret }),
    start: () => service.start(),
    stop: () => service.stop(),
    async close() {
      await storage.connection.dropDatabase();
      await storage.close();
    },
  };
}

/** Creates the options of a call on behalf of a caller. */
export function as(caller: Caller): CallOptions {
  return { contextValues: withIdentity({ service: "gateway", caller }) };
}

/** Returns the reason of the error of a call and the fields that it names, as one line. Throws if the call succeeds. */
export async function getRefusal(call: Promise<unknown>): Promise<string> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => getProblemFacts(error),
  );
  if (outcome === undefined) throw new Error("The call was not refused");
  return [outcome.reason, ...outcome.violations.map(({ field }) => field)].join(" ");
}
