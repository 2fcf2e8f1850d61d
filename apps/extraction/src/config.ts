import { address, dataFolder, logLevel, mongodbUri, readEnvironment, rootSecret } from "@switchyard/environment";
import type { Address } from "@switchyard/environment";
import { z } from "zod";
import { documentSettings, documentVariables } from "./document-settings.ts";
import type { DocumentSettings } from "./document-settings.ts";

/** How a process of the extraction service is set up. */
export interface Config {
  /** Where it listens. */
  address: Address;
  /** Where the configuration service is. */
  configuration: Address;
  mongodbUri: string;
  /** The root secret in hexadecimal; from the file in `dataFolder` when undefined. */
  secret: string | undefined;
  dataFolder: string;
  logLevel: string;
  documents: DocumentSettings;
}

const environment = z.object({
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  MONGODB_URI: mongodbUri.default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_SECRET: rootSecret,
  SWITCHYARD_DATA: dataFolder,
  LOG_LEVEL: logLevel("info"),
  ...documentVariables,
});

/** The configuration in environment variables. Throws an error that names each variable with a wrong value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return {
    address: values.EXTRACTION_ADDRESS,
    configuration: values.CONFIGURATION_ADDRESS,
    mongodbUri: values.MONGODB_URI,
    secret: values.SWITCHYARD_SECRET,
    dataFolder: values.SWITCHYARD_DATA,
    logLevel: values.LOG_LEVEL,
    documents: documentSettings(values),
  };
}
