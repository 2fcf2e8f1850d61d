import {
  assertPermissionsDeclared,
  createIdentityKeys,
  identitySigner,
  identityVerifier,
  loadRootSecret,
} from "@switchyard/access";
import {
  clientInterceptors,
  createChannelTransport,
  createLogger,
  serverInterceptors,
  serveRpc,
} from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { hkdfSync } from "node:crypto";
import { readConfig } from "./config.ts";
import { createDocumentReader, createExtractionService } from "./index.ts";

const config = readConfig();
const logger = createLogger({ name: "extraction", level: config.logLevel });
const secret = await loadRootSecret(config.dataFolder, config.secret);
const keys = createIdentityKeys(secret);

const storage = await connectStorage({ uri: config.mongodbUri, database: "switchyard_extraction" });
const configuration = createChannelTransport({
  target: config.configurationAddress,
  interceptors: [...clientInterceptors(), identitySigner({ service: "extraction", audience: "configuration", keys })],
});
const reader = createDocumentReader({ workers: config.parallel });
const service = createExtractionService({
  storage,
  configuration,
  reader,
  logger,
  pageTokenSecret: new Uint8Array(hkdfSync("sha256", secret, "", "extraction page tokens", 32)),
  settings: { retentionMs: config.retentionMs, parallel: config.parallel },
});
assertPermissionsDeclared(service.registrations.map((registration) => registration.service));
await storage.ready();

const server = await serveRpc({
  host: config.host,
  port: config.port,
  services: service.registrations,
  interceptors: [...serverInterceptors({ logger }), identityVerifier({ audience: "extraction", keys })],
  reflection: true,
});
service.start();
logger.info({ host: config.host, port: server.port }, "extraction serves");

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
