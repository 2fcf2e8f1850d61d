import { createIdentityKeys, identitySigner, loadRootSecret } from "@switchyard/access";
import {
  checkHealth,
  clientInterceptors,
  createChannelTransport,
  createLogger,
  createReadiness,
} from "@switchyard/rpc";
import { readConfig } from "./config.ts";
import { configurationCalls, createGateway, publicServices, type Audience } from "./index.ts";
import { gatewayService } from "./token-admission.ts";

const config = readConfig();
const logger = createLogger({ name: gatewayService, level: config.logLevel });
const keys = createIdentityKeys(await loadRootSecret({ secret: config.secret, folder: config.dataFolder }));
const reach = (audience: Audience) =>
  createChannelTransport({
    target: `${config.addresses[audience].host}:${config.addresses[audience].port}`,
    interceptors: [...clientInterceptors(), identitySigner({ service: gatewayService, audience, keys })],
  });
const transports = {
  configuration: reach("configuration"),
  extraction: reach("extraction"),
  classifier: reach("classifier"),
  benchmark: reach("benchmark"),
};
const services = publicServices.map(({ service, audience }) => ({ service, transport: transports[audience] }));
/** A service asks its database for a second; whoever asks this process is to have an answer within two. */
const patienceMs = 1_800;
const checks = Object.values(transports).map((transport) => () => checkHealth(transport, patienceMs));
const gateway = await createGateway({
  ...config,
  services,
  ...configurationCalls(transports.configuration, logger),
  logger,
  ready: createReadiness(checks, patienceMs),
});
logger.info({ url: gateway.url, grpcPort: gateway.grpcPort }, "Listening");

async function end(): Promise<void> {
  await gateway.close();
  for (const transport of Object.values(transports)) transport.close();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
