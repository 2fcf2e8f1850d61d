export { createConfigurationCalls, type ConfigurationCalls } from "./access/configuration-calls.ts";
export { corsVariables } from "./http/cors.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export type { PublicService } from "./forwarding/forwarding.ts";
export { defaultLimits, limitSettings, limitVariables, type GatewayLimits } from "./limits/limits.ts";
export { rateLimitVariables } from "./rate-limit/rate-limit.ts";
export { publicServices, type Audience } from "./public-services.ts";
