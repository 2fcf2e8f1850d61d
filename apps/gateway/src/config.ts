import { address, dataFolder, logLevel, port, readEnvironment, rootSecret } from "@switchyard/environment";
import type { Address } from "@switchyard/environment";
import { z } from "zod";
import type { Audience } from "./public-services.ts";
import { gatewayVariables, toGatewaySettings } from "./settings.ts";
import type { GatewaySettings } from "./settings.ts";

/** The configuration of the gateway as a separate process. */
export interface GatewayConfig extends GatewaySettings {
  readonly host: string;
  readonly port: number;
  readonly grpcPort: number;
  readonly logLevel: string;
  /** The addresses of the services by audience. */
  readonly addresses: Readonly<Record<Audience, Address>>;
  /** The root secret of service identities, in hexadecimal. When undefined, it is read from the file in `dataFolder`. */
  readonly secret: string | undefined;
  readonly dataFolder: string;
}

const environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: port(8080),
  GRPC_PORT: port(8081),
  LOG_LEVEL: logLevel("info"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  CLASSIFIER_ADDRESS: address("127.0.0.1:8193"),
  BENCHMARK_ADDRESS: address("127.0.0.1:8194"),
  SWITCHYARD_SECRET: rootSecret,
  SWITCHYARD_DATA: dataFolder,
  ...gatewayVariables,
});

/** Reads the configuration from environment variables. Throws an error that names each invalid variable. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): GatewayConfig {
  const values = readEnvironment(environment, variables);
  return {
    host: values.HOST,
    port: values.PORT,
    grpcPort: values.GRPC_PORT,
    logLevel: values.LOG_LEVEL,
    addresses: {
      configuration: values.CONFIGURATION_ADDRESS,
      extraction: values.EXTRACTION_ADDRESS,
      classifier: values.CLASSIFIER_ADDRESS,
      benchmark: values.BENCHMARK_ADDRESS,
    },
    secret: values.SWITCHYARD_SECRET,
    dataFolder: values.SWITCHYARD_DATA,
    ...toGatewaySettings(values),
  };
}
