import { engineSettings, engineVariables } from "@switchyard/engines";
import type { EngineDefinition } from "@switchyard/engines";
import { address, readEnvironment, serviceVariables, toServiceConfig } from "@switchyard/environment";
import type { ServiceConfig } from "@switchyard/environment";
import { z } from "zod";

/** The configuration of a process of the configuration service. */
export interface Config extends ServiceConfig {
  engines: readonly EngineDefinition[];
}

const environment = z.object({
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  ...serviceVariables,
  ...engineVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each variable with an invalid value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return { ...toServiceConfig(values.CONFIGURATION_ADDRESS, values), engines: engineSettings(values, variables) };
}
