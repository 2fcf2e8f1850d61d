import { createIdentityKeys, loadRootSecret, serviceClientInterceptors } from "@switchyard/access";
import { closeOnTermination } from "@switchyard/environment";
import { checkHealth, createChannelTransport, createLogger, createReadiness } from "@switchyard/rpc";
import { readConfig } from "./config.ts";
import { createConfigurationCalls, createConsole, createGateway, publicServices, type Audience } from "./index.ts";
import { gatewayService } from "./access/token-admission.ts";

const config = readConfig();
const logger = createLogger({ name: gatewayService, level: config.logLevel });
const keys = createIdentityKeys(await loadRootSecret({ secret: config.secret, folder: config.dataFolder }));
const connectTo = (audience: Audience) =>
  createChannelTransport({
    target: `${config.addresses[audience].host}:${config.addresses[audience].port}`,
    interceptors: serviceClientInterceptors({ service: gatewayService, audience, keys }),
  });
const transports = {
  configuration: connectTo("configuration"),
  extraction: connectTo("extraction"),
  classifier: connectTo("classifier"),
  benchmark: connectTo("benchmark"),
};
const services = publicServices.map(({ service, audience }) => ({ service, transport: transports[audience] }));
/** Services check their database for up to a second. The readiness check of this process must answer within two. */
const timeoutMs = 1_800;
const checks = Object.values(transports).map((transport) => () => checkHealth(transport, timeoutMs));
const gateway = await createGateway({
  ...config,
  console: config.console ? { files: createConsole(), signIn: undefined } : undefined,
  services,
  ...createConfigurationCalls(transports.configuration, logger),
  logger,
  ready: createReadiness(checks, timeoutMs),
});
logger.info({ url: gateway.url, grpcPort: gateway.grpcPort }, "Listening");

closeOnTermination(async () => {
  await gateway.close();
  for (const transport of Object.values(transports)) transport.close();
});
