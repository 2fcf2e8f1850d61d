export { createConfigurationCalls } from "./access/configuration-calls.ts";
export { createConsole } from "./console/console.ts";
export type { ServedConsole } from "./console/serve-console.ts";
export { createSignInLinks, type SignInLinks } from "./console/sign-in.ts";
export { createGateway, type Gateway } from "./gateway.ts";
export type { GatewayLimits } from "./limits/limits.ts";
export { publicServices, type Audience } from "./public-services.ts";
