import { address, dataFolder, logLevel, mongodbUri, readEnvironment, rootSecret } from "@switchyard/environment";
import type { Address } from "@switchyard/environment";
import { z } from "zod";

/** How this process is set up. */
export interface Config {
  /** Where it listens. */
  address: Address;
  mongodbUri: string;
  /** The root secret in hexadecimal; from the file in `dataFolder` when undefined. */
  secret: string | undefined;
  dataFolder: string;
  logLevel: string;
}

const environment = z.object({
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  MONGODB_URI: mongodbUri.default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_SECRET: rootSecret,
  SWITCHYARD_DATA: dataFolder,
  LOG_LEVEL: logLevel("info"),
});

/** The configuration in these environment variables. Throws an error that names every variable with a wrong value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const read = readEnvironment(environment, variables);
  return {
    address: read.CONFIGURATION_ADDRESS,
    mongodbUri: read.MONGODB_URI,
    secret: read.SWITCHYARD_SECRET,
    dataFolder: read.SWITCHYARD_DATA,
    logLevel: read.LOG_LEVEL,
  };
}
