import { assertPermissionsDeclared, createPageTokenKey } from "@switchyard/access";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
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
  alone: boolean;
}

/** The definition of a service and its database. */
export interface ComposeOptions {
  /** The name of the service. */
  name: string;
  /** The name of the service's database. */
  database: string;
  /** The connection string of the database server. */
  uri: string;
  /** Whether no other process uses the database; false by default. */
  alone?: boolean;
  /** The root secret, from which all keys are derived. */
  secret: Uint8Array;
  logger: Logger;
  /** Creates the service. It registers its collections with the storage. */
  create: (context: ServiceContext) => ServiceInstance | Promise<ServiceInstance>;
}

/** A service with its storage. */
export interface ComposedService extends ServiceInstance {
  readonly storage: Storage;
  /** Resolves when all collections and indexes exist. Call it before serving the registrations. */
  ready(): Promise<void>;
}

/** Connects a service to its database and creates it. Throws if a method of the service does not declare its permission. */
export async function composeService(options: ComposeOptions): Promise<ComposedService> {
  const { name, database, uri, alone = false, secret, logger, create } = options;
  const storage = await connectStorage({ uri, database, alone });
  const service = await create({ storage, logger, pageTokenSecret: createPageTokenKey(secret, name), alone });
  assertPermissionsDeclared(service.registrations.map((registration) => registration.service));
  return {
    storage,
    registrations: service.registrations,
    ready: () => storage.ready(logger),
    start: () => service.start(),
    stop: () => service.stop(),
  };
}
