import { engineSettings, engineVariables } from "@switchyard/engines";
import type { EngineDefinition } from "@switchyard/engines";
import { address, readEnvironment, serviceVariables, toServiceConfig } from "@switchyard/environment";
import type { Address, ServiceConfig } from "@switchyard/environment";
import { z } from "zod";
import { documentSettings, documentVariables } from "./document-settings.ts";
import type { DocumentSettings } from "./document-settings.ts";

/** The configuration of a process of the extraction service. */
export interface Config extends ServiceConfig {
  /** The address of the configuration service. */
  configuration: Address;
  documents: DocumentSettings;
  engines: readonly EngineDefinition[];
}

const environment = z.object({
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  ...serviceVariables,
  ...engineVariables,
  ...documentVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each variable with an invalid value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return {
    ...toServiceConfig(values.EXTRACTION_ADDRESS, values),
    configuration: values.CONFIGURATION_ADDRESS,
    documents: documentSettings(values),
    engines: engineSettings(values, variables),
  };
}
