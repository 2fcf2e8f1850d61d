import { address, readEnvironment, serviceVariables, toServiceConfig } from "@switchyard/environment";
import type { ServiceConfig } from "@switchyard/environment";
import { z } from "zod";

const environment = z.object({
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  ...serviceVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each variable with an invalid value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): ServiceConfig {
  const values = readEnvironment(environment, variables);
  return toServiceConfig(values.CONFIGURATION_ADDRESS, values);
}
