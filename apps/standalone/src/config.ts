import { dataFolder, logLevel, mongodbUri, port, readEnvironment, rootSecret } from "@switchyard/environment";
import { toBenchmarkSettings, benchmarkVariables } from "@switchyard/benchmark";
import type { BenchmarkSettings } from "@switchyard/benchmark";
import { documentSettings, documentVariables } from "@switchyard/extraction";
import type { DocumentSettings } from "@switchyard/extraction";
import { limitSettings, limitVariables } from "@switchyard/gateway";
import type { GatewayLimits } from "@switchyard/gateway";
import { z } from "zod";

/** What the environment says of a server that runs everything in one process. */
export interface Config {
  host: string;
  port: number;
  grpcPort: number;
  /** The folder of the embedded store and of the root secret. */
  dataFolder: string;
  /** A replica set to store in, instead of the embedded store. */
  mongodbUri: string | undefined;
  /** A `mongod` to start and store in, when no URI is given. */
  mongodBinary: string | undefined;
  /** The root secret in hexadecimal; made once in the data folder when not given. */
  secret: string | undefined;
  logLevel: string;
  documents: DocumentSettings;
  benchmarks: BenchmarkSettings;
  limits: Partial<GatewayLimits>;
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
  ...limitVariables,
});

/** The configuration in environment variables. Throws an error that names each variable with a wrong value. */
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
    limits: limitSettings(values),
  };
}
