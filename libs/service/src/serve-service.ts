import type { Transport } from "@connectrpc/connect";
import {
  createIdentityKeys,
  loadRootSecret,
  serviceClientInterceptors,
  serviceServerInterceptors,
} from "@switchyard/access";
import { closeOnTermination, type Address, type ServiceConfig } from "@switchyard/environment";
import { createChannelTransport, createLogger, createReadiness, serveRpc } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { composeService } from "./compose-service.ts";
import type { ServiceContext, ServiceInstance } from "./compose-service.ts";

/** The dependencies that a service gets from its own process. */
export interface ProcessContext extends ServiceContext {
  /** The root secret, from which all keys are derived. */
  secret: Uint8Array;
  /** Creates a transport to another service. It is closed when the process ends. */
  readonly connect: (service: string, address: Address) => Transport;
}

/** A service that may have streams without an end. */
export interface ServedInstance extends ServiceInstance {
  /** Ends these streams. It is called before the server is closed, which waits for open calls. */
  endStreams?(): Promise<void>;
}

/** The definition of a service process. */
export interface ServeServiceOptions {
  /** The name of the service: its identity as caller and audience, and its name in logs. */
  name: string;
  /** The name of the service's database. */
  database: string;
  config: ServiceConfig;
  create: (context: ProcessContext) => ServedInstance | Promise<ServedInstance>;
}

/**
 * Runs a service as a process: connects to its database, creates and serves the service, and starts its background work. Resolves
 * when the server is listening. SIGINT and SIGTERM close the server, wait for open calls and background work, and end the process.
 */
export async function serveService({ name, database, config, create }: ServeServiceOptions): Promise<void> {
  const logger = createLogger({ name, level: config.logLevel });
  const secret = await loadRootSecret({ secret: config.secret, folder: config.dataFolder });
  const keys = createIdentityKeys(secret);
  const transports: { close(): void }[] = [];
  const connect = (service: string, { host, port }: Address): Transport => {
    const interceptors = serviceClientInterceptors({ service: name, audience: service, keys });
    const transport = createChannelTransport({ target: `${host}:${port}`, interceptors });
    transports.push(transport);
    return transport;
  };
  const storage = await connectStorage({ uri: config.mongodbUri, database, logger });
  const service = await composeService({ name, storage, secret, logger }, (context) =>
    create({ ...context, secret, connect }),
  );
  await storage.ready(logger);
  const server = await serveRpc({
    ...config.address,
    services: service.registrations,
    interceptors: serviceServerInterceptors({ audience: name, keys, logger }),
    ready: createReadiness([() => storage.ping()]),
    logger,
  });
  service.start();
  logger.info({ port: server.port }, "Listening");

  closeOnTermination(async () => {
    await service.endStreams?.();
    await server.close();
    await service.stop();
    for (const transport of transports) transport.close();
    await storage.close();
  });
}
