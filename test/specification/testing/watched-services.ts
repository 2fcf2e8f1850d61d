import { createClient } from "@connectrpc/connect";
import type { CallOptions, Client, Interceptor, Transport } from "@connectrpc/connect";
import {
  createIdentityKeys,
  createPageTokenKey,
  createTokenPepper,
  identitySigner,
  identityVerifier,
  withIdentity,
} from "@switchyard/access";
import { createClassifierService } from "@switchyard/classifier";
import { bootstrapOrganization, createConfigurationService } from "@switchyard/configuration";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import {
  createChannelTransport,
  createDirectTransport,
  createLogger,
  freePort,
  serverInterceptors,
  serveRpc,
} from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import { runProgram } from "../../processes.ts";
import type { SystemShape } from "../../system.ts";
import { createCommandTap } from "./command-tap.ts";

/**
 * The configuration and classifier services without a gateway. The calls of the classifier service can be observed and delayed. In
 * separate processes the classifier service has its own, and the calls go over sockets.
 */
export interface WatchedServices {
  uri: string;
  /** Returns every query of both services so far, as `collection.command`, from the wire. */
  queries(): string[];
  identity: Client<typeof IdentityService>;
  models: Client<typeof ConfigurationService>;
  classifiers: Client<typeof ClassifierService>;
  /** Returns the caller of the first token, with its current access. */
  caller(): Promise<Caller>;
  /** Returns the options of a call for a caller; by default that of the first token. */
  as(caller?: Caller): Promise<CallOptions>;
  close(): Promise<void>;
}

const secret = new Uint8Array(32).fill(7);
const keys = createIdentityKeys(secret);
const logger = createLogger({ name: "test", level: "silent" });

const verify = (audience: string): Interceptor => identityVerifier({ audience, keys });
const sign = (service: string, audience: string): Interceptor => identitySigner({ service, audience, keys });

/** Starts both services on their own database. `watch` intercepts each call of the classifier service. */
export async function startWatchedServices(shape: SystemShape, watch: Interceptor): Promise<WatchedServices> {
  const database = await startTestDatabase({ ownThread: shape === "separate processes" || undefined });
  const tap = await createCommandTap(database.uri);
  const pageTokenSecret = createPageTokenKey(secret, "test");
  const tokenPepper = createTokenPepper(secret);
  const storage = await connectStorage({ uri: tap.uri, database: "switchyard_configuration" });
  const { registrations } = createConfigurationService({ storage, tokenPepper, pageTokenSecret, logger });
  await storage.ready();
  const classifier = await (shape === "one process" ? besides : apart)(tap.uri, registrations, watch);

  const gateway = direct(registrations, [verify("configuration")], [sign("gateway", "configuration")]);
  const names = { organizationName: "Acme", userName: "Ada", tokenName: "Everything" };
  const first = await bootstrapOrganization({ storage, tokenPepper }, names);
  const lookup = createClient(IdentityLookupService, gateway);
  const caller = (): Promise<Caller> => lookup.verifyToken({ secret: first.secret });
  return {
    uri: database.uri,
    queries: () => tap.commands().flatMap(getQuery),
    identity: createClient(IdentityService, gateway),
    models: createClient(ConfigurationService, gateway),
    classifiers: createClient(ClassifierService, classifier.transport),
    caller,
    as: async (given) => ({ contextValues: withIdentity({ service: "gateway", caller: given ?? (await caller()) }) }),
    async close() {
      await classifier.close();
      await storage.close();
      await tap.close();
      await database.close();
    },
  };
}

const querying = new Set([
  "find",
  "getMore",
  "aggregate",
  "count",
  "distinct",
  "insert",
  "update",
  "delete",
  "findAndModify",
]);

function getQuery(command: Readonly<Record<string, unknown>>): string[] {
  const [name = ""] = Object.keys(command);
  return querying.has(name) ? [`${String(command[name === "getMore" ? "collection" : name])}.${name}`] : [];
}

function direct(
  services: readonly ServiceRegistration[],
  served: readonly Interceptor[],
  interceptors: readonly Interceptor[],
): Transport {
  return createDirectTransport({ services, serverInterceptors: [...served], interceptors: [...interceptors] });
}

/** The classifier service, as the gateway calls it. */
interface Classifier {
  transport: Transport;
  close(): Promise<void>;
}

async function besides(
  uri: string,
  configuration: readonly ServiceRegistration[],
  watch: Interceptor,
): Promise<Classifier> {
  const storage = await connectStorage({ uri, database: "switchyard_classifier" });
  const { registrations } = createClassifierService({
    storage,
    configuration: direct(configuration, [verify("configuration")], [watch, sign("classifier", "configuration")]),
    // No document is read in these tests.
    extraction: direct([], [], []),
    pageTokenSecret: createPageTokenKey(secret, "classifier"),
    logger,
  });
  await storage.ready();
  return {
    transport: direct(registrations, [verify("classifier")], [sign("gateway", "classifier")]),
    close: () => storage.close(),
  };
}

async function apart(
  uri: string,
  configuration: readonly ServiceRegistration[],
  watch: Interceptor,
): Promise<Classifier> {
  const interceptors = [watch, ...serverInterceptors({ logger }), verify("configuration")];
  const served = await serveRpc({ host: "127.0.0.1", port: 0, services: configuration, interceptors });
  const [port, nobody] = await Promise.all([freePort(), freePort()]);
  const process = runProgram("apps/classifier/src/main.ts", [], {
    MONGODB_URI: uri,
    SWITCHYARD_SECRET: Buffer.from(secret).toString("hex"),
    CLASSIFIER_ADDRESS: `127.0.0.1:${port}`,
    CONFIGURATION_ADDRESS: `127.0.0.1:${served.port}`,
    EXTRACTION_ADDRESS: `127.0.0.1:${nobody}`,
    LOG_LEVEL: "info",
  });
  await process.printed(/Listening/);
  const transport = createChannelTransport({
    target: `127.0.0.1:${port}`,
    interceptors: [sign("gateway", "classifier")],
  });
  return {
    transport,
    async close() {
      transport.close();
      await process.end();
      await served.close();
    },
  };
}
