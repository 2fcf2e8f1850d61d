import {
  assertPermissionsDeclared,
  createIdentityKeys,
  createPageTokenKey,
  identitySigner,
  identityVerifier,
  loadRootSecret,
} from "@switchyard/access";
import type { Address } from "@switchyard/environment";
import {
  clientInterceptors,
  createChannelTransport,
  createLogger,
  createReadiness,
  serverInterceptors,
  serveRpc,
} from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { readConfig } from "./config.ts";
import { createClassifierService, databaseName, serviceName } from "./index.ts";

const config = readConfig();
const logger = createLogger({ name: serviceName, level: config.logLevel });
const secret = await loadRootSecret({ secret: config.secret, folder: config.dataFolder });
const keys = createIdentityKeys(secret);

const storage = await connectStorage({ uri: config.mongodbUri, database: databaseName });
const reach = ({ host, port }: Address, audience: string) =>
  createChannelTransport({
    target: `${host}:${port}`,
    interceptors: [...clientInterceptors(), identitySigner({ service: serviceName, audience, keys })],
  });
const configuration = reach(config.configuration, "configuration");
const extraction = reach(config.extraction, "extraction");
const pageTokenSecret = createPageTokenKey(secret, serviceName);
const service = createClassifierService({ storage, configuration, extraction, pageTokenSecret, logger });
assertPermissionsDeclared(service.registrations.map((registration) => registration.service));
await storage.ready(logger);

const server = await serveRpc({
  ...config.address,
  services: service.registrations,
  interceptors: [...serverInterceptors({ logger }), identityVerifier({ audience: serviceName, keys })],
  ready: createReadiness([() => storage.ping()]),
  logger,
});
service.start();
logger.info({ port: server.port }, "Listening");

async function stop(): Promise<void> {
  await server.close();
  await service.stop();
  configuration.close();
  extraction.close();
  await storage.close();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stop().then(() => process.exit(0)));
}
