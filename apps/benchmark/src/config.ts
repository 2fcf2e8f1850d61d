import { address, readEnvironment, serviceVariables, toServiceConfig } from "@switchyard/environment";
import type { Address, ServiceConfig } from "@switchyard/environment";
import { z } from "zod";
import { toBenchmarkSettings, benchmarkVariables } from "./service/settings.ts";
import type { BenchmarkSettings } from "./service/settings.ts";

/** The configuration of a process of the benchmark service. */
export interface Config extends ServiceConfig {
  /** The addresses of the services that it calls. */
  configuration: Address;
  extraction: Address;
  classifier: Address;
  benchmarks: BenchmarkSettings;
}

const environment = z.object({
  BENCHMARK_ADDRESS: address("127.0.0.1:8194"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  CLASSIFIER_ADDRESS: address("127.0.0.1:8193"),
  ...serviceVariables,
  ...benchmarkVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each variable with an invalid value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return {
    ...toServiceConfig(values.BENCHMARK_ADDRESS, values),
    configuration: values.CONFIGURATION_ADDRESS,
    extraction: values.EXTRACTION_ADDRESS,
    classifier: values.CLASSIFIER_ADDRESS,
    benchmarks: toBenchmarkSettings(values),
  };
}
