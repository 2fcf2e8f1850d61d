import {
  assertPermissionsDeclared,
  createIdentityKeys,
  createPageTokenKey,
  createTokenPepper,
  identityVerifier,
  loadRootSecret,
} from "@switchyard/access";
import { createLogger, createReadiness, serveRpc, serverInterceptors } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { readConfig } from "./config.ts";
import { createConfigurationService, databaseName, serviceName } from "./service.ts";
import { checkTokenPepper } from "./token-pepper.ts";

const config = readConfig();
const logger = createLogger({ name: serviceName, level: config.logLevel });
const secret = await loadRootSecret({ secret: config.secret, folder: config.dataFolder });
const storage = await connectStorage({ uri: config.mongodbUri, database: databaseName });
const tokenPepper = createTokenPepper(secret);
await checkTokenPepper(storage, tokenPepper);
const service = createConfigurationService({
  storage,
  logger,
  tokenPepper,
  pageTokenSecret: createPageTokenKey(secret, serviceName),
});
assertPermissionsDeclared(service.registrations.map((registration) => registration.service));
await storage.ready(logger);
const server = await serveRpc({
  ...config.address,
  services: service.registrations,
  interceptors: [
    ...serverInterceptors({ logger }),
    identityVerifier({ audience: serviceName, keys: createIdentityKeys(secret) }),
  ],
  ready: createReadiness([() => storage.ping()]),
  logger,
});
service.start();
logger.info({ port: server.port }, "Listening");

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void service
      .stop()
      .then(() => server.close())
      .then(() => storage.close());
  });
}
