import { createClient } from "@connectrpc/connect";
import type { CallOptions, Client, Interceptor } from "@connectrpc/connect";
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
import { IdentityLookupService, IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createDirectTransport, createLogger } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";

/** The configuration and classifier services without a gateway: what the one asks of the other can be watched and held up. */
export interface WatchedServices {
  uri: string;
  /** Every query of both services so far, as `collection.command`. */
  queries: string[];
  identity: Client<typeof IdentityService>;
  models: Client<typeof ConfigurationService>;
  classifiers: Client<typeof ClassifierService>;
  /** The first token's caller, with what it reaches by now. */
  caller(): Promise<Caller>;
  /** The options of a call for a caller, the first token's where none is given. */
  as(caller?: Caller): Promise<CallOptions>;
  close(): Promise<void>;
}

const secret = new Uint8Array(32).fill(7);
const keys = createIdentityKeys(secret);
const logger = createLogger({ name: "test", level: "silent" });

/** Starts both on a database of their own; `watch` sees each call of the classifier service before it is made and after. */
export async function startWatchedServices(watch: Interceptor): Promise<WatchedServices> {
  const database = await startTestDatabase();
  const connect = (name: string) => connectStorage({ uri: database.uri, database: `switchyard_${name}` });
  const [ofConfiguration, ofClassifier] = await Promise.all([connect("configuration"), connect("classifier")]);
  const queries: string[] = [];
  const reach = (service: string, audience: string, services: ServiceRegistration[], more: Interceptor[] = []) =>
    createDirectTransport({
      services,
      serverInterceptors: [identityVerifier({ audience, keys })],
      interceptors: [...more, identitySigner({ service, audience, keys })],
    });
  const pageTokenSecret = createPageTokenKey(secret, "test");
  const tokenPepper = createTokenPepper(secret);
  const configuration = createConfigurationService({ storage: ofConfiguration, tokenPepper, pageTokenSecret, logger });
  const classifier = createClassifierService({
    storage: ofClassifier,
    configuration: reach("classifier", "configuration", configuration.registrations, [watch]),
    // No document is read here.
    extraction: reach("classifier", "extraction", []),
    pageTokenSecret,
    logger,
  });
  for (const storage of [ofConfiguration, ofClassifier]) {
    await storage.ready();
    storage.connection.set("debug", (collection: string, command: string) => {
      queries.push(`${collection}.${command}`);
    });
  }
  const gateway = reach("gateway", "configuration", configuration.registrations);
  const names = { organizationName: "Acme", userName: "Ada", tokenName: "Everything" };
  const first = await bootstrapOrganization({ storage: ofConfiguration, tokenPepper }, names);
  const lookup = createClient(IdentityLookupService, gateway);
  const caller = (): Promise<Caller> => lookup.verifyToken({ secret: first.secret });
  return {
    uri: database.uri,
    queries,
    identity: createClient(IdentityService, gateway),
    models: createClient(ConfigurationService, gateway),
    classifiers: createClient(ClassifierService, reach("gateway", "classifier", classifier.registrations)),
    caller,
    as: async (given) => ({ contextValues: withIdentity({ service: "gateway", caller: given ?? (await caller()) }) }),
    async close() {
      await ofConfiguration.close();
      await ofClassifier.close();
      await database.close();
    },
  };
}
