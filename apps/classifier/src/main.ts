import { createIdentityKeys, createPageTokenKey, identitySigner, identityVerifier, loadRootSecret } from "@switchyard/access";
import { clientInterceptors, createChannelTransport, createLogger, serverInterceptors, serveRpc } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { readConfig } from "./config.ts";
import { createClassifierService } from "./index.ts";

const config = readConfig(process.env);
const logger = createLogger({ name: "classifier", level: config.logLevel });
const secret = await loadRootSecret(config.dataFolder, config.secret);
const keys = createIdentityKeys(secret);
const storage = await connectStorage({ uri: config.mongodbUri, database: "switchyard_classifier" });
const reach = (target: string, audience: string) =>
  createChannelTransport({
    target,
    interceptors: [...clientInterceptors(), identitySigner({ service: "classifier", audience, keys })],
  });
const configuration = reach(config.configurationAddress, "configuration");
const extraction = reach(config.extractionAddress, "extraction");
const pageTokenSecret = createPageTokenKey(secret, "classifier");
const service = createClassifierService({ storage, configuration, extraction, pageTokenSecret, logger });
await storage.ready();
const interceptors = [...serverInterceptors({ logger }), identityVerifier({ audience: "classifier", keys })];
const server = await serveRpc({ ...config, services: service.registrations, interceptors });
service.start();
logger.info({ port: server.port }, "serving");

async function end(): Promise<void> {
  await server.close();
  await service.stop();
  configuration.close();
  extraction.close();
  await storage.close();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
