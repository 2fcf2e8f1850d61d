import { address, dataFolder, logLevel, mongodbUri, readEnvironment, rootSecret } from "@switchyard/environment";
import type { Address } from "@switchyard/environment";
import { z } from "zod";
import { benchmarkSettings, benchmarkVariables } from "./service/settings.ts";
import type { BenchmarkSettings } from "./service/settings.ts";

/** How a process of the benchmark service is set up. */
export interface Config {
  /** Where it listens. */
  address: Address;
  /** Where the services are that it calls. */
  configuration: Address;
  extraction: Address;
  mongodbUri: string;
  /** The root secret in hexadecimal; from the file in `dataFolder` when undefined. */
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

/** The configuration in environment variables. Throws an error that names each variable with a wrong value. */
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
    benchmarks: benchmarkSettings(values),
  };
}
