import { dataFolder, logLevel, mongodbUri, port, readEnvironment, rootSecret } from "@switchyard/environment";
import { benchmarkVariables, toBenchmarkSettings } from "@switchyard/benchmark/settings";
import type { BenchmarkSettings } from "@switchyard/benchmark/settings";
import { engineSettings, engineVariables } from "@switchyard/engines";
import type { EngineDefinition } from "@switchyard/engines";
import { documentSettings, documentVariables } from "@switchyard/extraction/settings";
import type { DocumentSettings } from "@switchyard/extraction/settings";
import { gatewayVariables, toGatewaySettings } from "@switchyard/gateway/settings";
import type { GatewaySettings } from "@switchyard/gateway/settings";
import { z } from "zod";

/** The configuration of a server that runs all services in one process. */
export interface Config extends GatewaySettings {
  host: string;
  port: number;
  grpcPort: number;
  /** The folder of the embedded store and of the root secret. */
  dataFolder: string;
  /** The connection string of a replica set that replaces the embedded store. */
  mongodbUri: string | undefined;
  /** The path of a `mongod` that is started and used if there is no connection string. */
  mongodBinary: string | undefined;
  /** The root secret in hexadecimal. If it is undefined, it is created once in the data folder. */
  secret: string | undefined;
  logLevel: string;
  documents: DocumentSettings;
  benchmarks: BenchmarkSettings;
}

const environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: port(8080),
  GRPC_PORT: port(8081),
  SWITCHYARD_DATA: dataFolder,
  MONGODB_URI: mongodbUri.optional(),
  MONGOD_BINARY: z.string().optional(),
  SWITCHYARD_SECRET: rootSecret,
  LOG_LEVEL: logLevel("warn"),
  ...documentVariables,
  ...benchmarkVariables,
  ...gatewayVariables,
  ...engineVariables,
});

/** Reads the configuration from environment variables. Throws an error that names every invalid variable. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(environment, variables);
  return {
    host: values.HOST,
    port: values.PORT,
    grpcPort: values.GRPC_PORT,
    dataFolder: values.SWITCHYARD_DATA,
    mongodbUri: values.MONGODB_URI,
    mongodBinary: values.MONGOD_BINARY,
    secret: values.SWITCHYARD_SECRET,
    logLevel: values.LOG_LEVEL,
    documents: documentSettings(values),
    benchmarks: toBenchmarkSettings(values),
    ...toGatewaySettings(values),
  };
}

/**
 * Reads the engines of the file that SWITCHYARD_ENGINES names. Only the server needs them: administrative commands also work without the file and
 * its keys. Throws an error that names the variable and the places of the file that are invalid.
 */
export function readEngines(variables: NodeJS.ProcessEnv = process.env): readonly EngineDefinition[] {
  return engineSettings(
    readEnvironment(environment, variables, () => undefined),
    variables,
  );
}
