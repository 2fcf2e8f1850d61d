import { createIdentityKeys, identitySigner, loadRootSecret } from "@switchyard/access";
import { createClient } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus } from "@switchyard/contracts/grpc/health/v1/health";
import { clientInterceptors, createChannelTransport, createLogger } from "@switchyard/rpc";
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
async function ready(): Promise<void> {
  const checks = Object.values(transports).map((transport) =>
    createClient(Health, transport).check({}, { timeoutMs: 2_000 }),
  );
  const states = await Promise.all(checks);
  if (states.some(({ status }) => status !== HealthCheckResponse_ServingStatus.SERVING)) throw new Error("not serving");
}
const gateway = await createGateway({
  ...config,
  services,
  ...configurationCalls(transports.configuration, logger),
  logger,
  ready,
});
logger.info({ url: gateway.url, grpcPort: gateway.grpcPort }, "Listening");

async function end(): Promise<void> {
  await gateway.close();
  for (const transport of Object.values(transports)) transport.close();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
