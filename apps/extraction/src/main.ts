import {
  assertPermissionsDeclared,
  createIdentityKeys,
  createPageTokenKey,
  identitySigner,
  identityVerifier,
  loadRootSecret,
} from "@switchyard/access";
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
import { serviceSettings } from "./document-settings.ts";
import { createDocumentReader, createExtractionService, databaseName, serviceName } from "./index.ts";

const config = readConfig();
const logger = createLogger({ name: serviceName, level: config.logLevel });
const secret = await loadRootSecret({ secret: config.secret, folder: config.dataFolder });
const keys = createIdentityKeys(secret);

const storage = await connectStorage({ uri: config.mongodbUri, database: databaseName });
const configuration = createChannelTransport({
  target: `${config.configuration.host}:${config.configuration.port}`,
  interceptors: [...clientInterceptors(), identitySigner({ service: serviceName, audience: "configuration", keys })],
});
const reader = createDocumentReader({
  workers: config.documents.parallel,
  timeoutMs: config.documents.readTimeoutMs,
});
const service = createExtractionService({
  storage,
  configuration,
  reader,
  logger,
  pageTokenSecret: createPageTokenKey(secret, serviceName),
  settings: serviceSettings(config.documents),
});
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
  await reader.close();
  configuration.close();
  await storage.close();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stop().then(() => process.exit(0)));
}
