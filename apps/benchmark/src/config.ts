import { address, dataFolder, logLevel, mongodbUri, readEnvironment, rootSecret } from "@switchyard/environment";
import type { Address } from "@switchyard/environment";
import { z } from "zod";
import { toBenchmarkSettings, benchmarkVariables } from "./service/settings.ts";
import type { BenchmarkSettings } from "./service/settings.ts";

/** The configuration of a process of the benchmark service. */
export interface Config {
  /** The address that it listens on. */
  address: Address;
  /** The addresses of the services that it calls. */
  configuration: Address;
  extraction: Address;
  mongodbUri: string;
  /** The root secret in hexadecimal. When undefined, it is read from the file in `dataFolder`. */
  secret: string | undefined;
  dataFolder: string;
  logLevel: string;
  benchmarks: BenchmarkSettings;
}

const environment = z.object({
  BENCHMARK_ADDRESS: address("127.0.0.1:8194"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  MONGODB_URI: mongodbUri.default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_SECRET: rootSecret,
  SWITCHYARD_DATA: dataFolder,
  LOG_LEVEL: logLevel("info"),
  ...benchmarkVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each variable with an invalid value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return {
    address: values.BENCHMARK_ADDRESS,
    configuration: values.CONFIGURATION_ADDRESS,
    extraction: values.EXTRACTION_ADDRESS,
    mongodbUri: values.MONGODB_URI,
    secret: values.SWITCHYARD_SECRET,
    dataFolder: values.SWITCHYARD_DATA,
    logLevel: values.LOG_LEVEL,
    benchmarks: toBenchmarkSettings(values),
  };
}
