import { openEngines } from "@switchyard/engines";
import type { Engines } from "@switchyard/engines";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import {
  createDocumentCache,
  createOwnWrites,
  createPageTokens,
  createSharedWrites,
  createVersionedCache,
  createQuotaLookup,
  createSweep,
  observeTransactions,
  warnOfSlowFailover,
} from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { auditService } from "./service/audit/audit-service.ts";
import { changeService } from "./service/change-service.ts";
import { configurationService } from "./service/models/configuration-service.ts";
import { engineLimitService } from "./service/engines/engine-limit-service.ts";
import { engineService } from "./service/engines/engine-service.ts";
import type { Dependencies } from "./service/dependencies.ts";
import { identityLookupService } from "./service/identity-lookup-service.ts";
import { identityService } from "./service/identity-service.ts";
import { targetService } from "./service/models/target-service.ts";
import { rateLimitService } from "./service/tokens/rate-limit-service.ts";
import { createTokenDigests } from "./service/tokens/token-digests.ts";
import { createAdministration } from "./store/administration.ts";
import { createAuditStore } from "./store/audit-store.ts";
import { createChangeFeed, watchChangeFeed } from "./store/changes/change-feed.ts";
import { createConfigurationStore } from "./store/configuration-store.ts";
import { createStoredPlaces } from "./store/engine-places.ts";
import { createIdentityStore } from "./store/identity-store.ts";
import { createModelRemoval } from "./store/model-removal.ts";
import { createQuotaStore } from "./store/quota-store.ts";
import { createMemoryCounts, createStoredCounts } from "./store/request-counts.ts";

/** The interval at which removals that failed are retried. */
const removalIntervalMs = 30_000;
/** The times of the change feed if other processes may write to it: see `createSharedWrites`. */
const sharedWritesTimes = { pollMs: 200, retryMs: 30_000 };

/** The name of the service, which is its audience in signed identities. */
export const serviceName = "configuration";
/** The name of this service's database. */
export const databaseName = "switchyard_configuration";

/**
 * The dependencies of the service. `tokenPepper` is the key of token digests (see `createTokenPepper`), and `pageTokenSecret` the key of
 * page tokens (see `createPageTokenKey`).
 */
export interface ConfigurationServiceDependencies {
  storage: Storage;
  logger: Logger;
  tokenPepper: Uint8Array;
  pageTokenSecret: Uint8Array;
  /** Whether no other process uses the database, so that documents can be cached and no change is polled; false by default. */
  exclusive?: boolean;
  now?: () => Date;
  /** The language models that the operator has configured; none by default. */
  engines?: Engines;
}

/** A service that can be served, with its background tasks. */
export interface RunningService {
  registrations: ServiceRegistration[];
  start(): void;
  /** Ends the streams that have no end of their own. Must be called before the server is closed, because closing waits for them. */
  endStreams(): Promise<void>;
  /** Ends these streams, and resolves when the background tasks have ended. */
  stop(): Promise<void>;
}

/**
 * Creates the service for organizations, projects, teams, users, tokens, the audit trail, models, schemas and deployments. Registers its
 * collections with the storage, whose `ready` must be awaited before anything is served.
 */
export function createConfigurationService(given: ConfigurationServiceDependencies): RunningService {
  const cache =
    given.exclusive === true ? createDocumentCache() : createVersionedCache(given.storage.connection, "documents");
  const shared =
    given.exclusive === true
      ? undefined
      : createSharedWrites(() => watchChangeFeed(given.storage.connection), sharedWritesTimes);
  const writes = shared ?? createOwnWrites();
  const storage = observeTransactions(given.storage, () => {
    writes.ended();
    return cache.clear();
  });
  const removal = createModelRemoval(storage);
  const removing = createSweep({
    intervalMs: removalIntervalMs,
    // No other process leaves any.
    idles: () => given.exclusive === true,
    work: () => removal.finish(),
    onError: (error) => given.logger.error({ err: error }, "The models of a deleted project could not be removed"),
  });
  const quotaStore = createQuotaStore(storage.connection);
  const dependencies: Dependencies = {
    identities: createIdentityStore(storage, cache),
    configurations: createConfigurationStore(storage, cache),
    administer: createAdministration(storage, removal),
    finishRemovals: () => removing.now(),
    audit: createAuditStore(storage),
    quotaStore,
    quotas: createQuotaLookup((organizationId) => quotaStore.get(organizationId)),
    pageTokens: createPageTokens(given.pageTokenSecret),
    digests: createTokenDigests(given.tokenPepper),
    logger: given.logger,
    now: given.now ?? (() => new Date()),
    engines: given.engines ?? openEngines({ definitions: [] }),
  };
  const requestCounts = given.exclusive === true ? createMemoryCounts() : createStoredCounts(given.storage.connection);
  const stopping = new AbortController();
  return {
    registrations: [
      ...[identityService, identityLookupService, auditService, configurationService, targetService].map((service) =>
        storage.idempotent(service(dependencies)),
      ),
      engineService(dependencies),
      engineLimitService(createStoredPlaces(storage.connection), requestCounts, dependencies.now),
      rateLimitService(requestCounts, dependencies.now),
      changeService(createChangeFeed(storage), writes, stopping.signal),
    ],
    start() {
      // One of the services logs this, and the others need not repeat it.
      void warnOfSlowFailover(storage, given.logger);
      void removing.now();
      removing.start();
      shared?.start();
    },
    endStreams: async () => stopping.abort(),
    async stop() {
      stopping.abort();
      shared?.stop();
      await removing.stop();
    },
  };
}
