export { configurationCalls, type ConfigurationCalls } from "./configuration-calls.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export type { PublicService } from "./forwarding.ts";
export { defaultLimits, limitSettings, limitVariables, type GatewayLimits } from "./limits.ts";
export { publicServices, type Audience } from "./public-services.ts";
