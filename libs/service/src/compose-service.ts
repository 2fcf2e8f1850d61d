import { assertPermissionsDeclared, createPageTokenKey } from "@switchyard/access";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";

/** A service as its `create...Service` function returns it. */
export interface ServiceInstance {
  registrations: ServiceRegistration[];
  /** Starts the background work of the service. */
  start(): void;
  /** Resolves when the background work has ended. */
  stop(): Promise<void>;
}

/** The dependencies that every service gets from its process. */
export interface ServiceContext {
  storage: Storage;
  logger: Logger;
  /** The key of the service's page tokens. */
  pageTokenSecret: Uint8Array;
  /** Whether no other process uses the database. */
  exclusive: boolean;
}

/** The definition of a service and its database. */
export interface ComposeOptions {
  /** The name of the service. */
  name: string;
  /** The database of the service. */
  storage: Storage;
  /** Whether no other process uses the database; false by default. */
  exclusive?: boolean;
  /** The root secret, from which all keys are derived. */
  secret: Uint8Array;
  logger: Logger;
}

/**
 * Creates a service, which registers its collections with the storage, and checks that all of its methods declare their permission:
 * throws otherwise. Before the service is served, its collections and indexes must exist (`storage.ready`).
 */
export async function composeService<Instance extends ServiceInstance>(
  { name, storage, exclusive = false, secret, logger }: ComposeOptions,
  create: (context: ServiceContext) => Instance | Promise<Instance>,
): Promise<Instance> {
  const service = await create({ storage, logger, pageTokenSecret: createPageTokenKey(secret, name), exclusive });
  assertPermissionsDeclared(service.registrations.map((registration) => registration.service));
  return service;
}
