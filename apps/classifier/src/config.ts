import { engineSettings, engineVariables } from "@switchyard/engines";
import type { EngineDefinition } from "@switchyard/engines";
import { address, readEnvironment, serviceVariables, toServiceConfig } from "@switchyard/environment";
import type { Address, ServiceConfig } from "@switchyard/environment";
import { z } from "zod";

/** The configuration of a process of the classifier service. */
export interface Config extends ServiceConfig {
  /** The addresses of the services that it calls. */
  configuration: Address;
  extraction: Address;
  engines: readonly EngineDefinition[];
}

const environment = z.object({
  CLASSIFIER_ADDRESS: address("127.0.0.1:8193"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  ...serviceVariables,
  ...engineVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each variable with an invalid value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return {
    ...toServiceConfig(values.CLASSIFIER_ADDRESS, values),
    configuration: values.CONFIGURATION_ADDRESS,
    extraction: values.EXTRACTION_ADDRESS,
    engines: engineSettings(values, variables),
  };
}
