import type { z } from "zod";
import { consoleVariables } from "./console/variables.ts";
import { corsVariables } from "./http/cors.ts";
import { limitSettings, limitVariables } from "./limits/limits.ts";
import type { GatewayLimits } from "./limits/limits.ts";
import { rateLimitVariables } from "./rate-limit/rate-limit.ts";

/** What an operator may set for a gateway, besides its addresses and secrets. */
export interface GatewaySettings {
  readonly limits: Partial<GatewayLimits>;
  /** How many requests a token may make in a minute; 0 for any number. */
  readonly requestsPerMinute: number;
  /** The origins whose pages may use the gateway in a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether the console is served. */
  readonly console: boolean;
}

/** The environment variables of the settings. */
export const gatewayVariables = { ...limitVariables, ...rateLimitVariables, ...corsVariables, ...consoleVariables };

type GatewayValues = z.infer<z.ZodObject<typeof gatewayVariables>>;

/** Converts the environment variables to settings. */
export function toGatewaySettings(values: GatewayValues): GatewaySettings {
  return {
    limits: limitSettings(values),
    requestsPerMinute: values.SWITCHYARD_RATE_LIMIT,
    corsOrigins: values.SWITCHYARD_CORS_ORIGINS,
    console: values.SWITCHYARD_CONSOLE === "on",
  };
}
