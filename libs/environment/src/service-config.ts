import type { z } from "zod";
import { dataFolder, logLevel, mongodbUri, rootSecret } from "./variables.ts";
import type { Address } from "./variables.ts";

/** The configuration that every service process has. */
export interface ServiceConfig {
  /** The address to listen on. */
  address: Address;
  mongodbUri: string;
  /** The root secret in hexadecimal. When undefined, it is read from the file in `dataFolder`. */
  secret: string | undefined;
  dataFolder: string;
  logLevel: string;
}

/** The environment variables that every service process has. */
export const serviceVariables = {
  MONGODB_URI: mongodbUri.default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_SECRET: rootSecret,
  SWITCHYARD_DATA: dataFolder,
  LOG_LEVEL: logLevel("info"),
};

/** Converts the values of {@link serviceVariables} to the configuration of a service process. */
export function toServiceConfig(
  address: Address,
  values: z.output<z.ZodObject<typeof serviceVariables>>,
): ServiceConfig {
  return {
    address,
    mongodbUri: values.MONGODB_URI,
    secret: values.SWITCHYARD_SECRET,
    dataFolder: values.SWITCHYARD_DATA,
    logLevel: values.LOG_LEVEL,
  };
}
