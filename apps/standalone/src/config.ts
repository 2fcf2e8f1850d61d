import { resolve } from "node:path";
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
}

const port = z.coerce.number().int().min(0).max(65_535);
const text = z.string().min(1);

const schema = z.object({
  HOST: text.default("127.0.0.1"),
  PORT: port.default(8080),
  GRPC_PORT: port.default(8081),
  SWITCHYARD_DATA: text.default(".switchyard"),
  MONGODB_URI: text.regex(/^mongodb(\+srv)?:\/\//, "must begin with mongodb:// or mongodb+srv://").optional(),
  MONGOD_BINARY: text.optional(),
  SWITCHYARD_SECRET: z
    .string()
    .regex(/^([0-9a-fA-F]{2}){32,}$/, "must be hexadecimal, of at least 32 bytes")
    .optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("warn"),
});

/** Reads the environment. Throws one error that names every variable with a wrong value. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `  ${path.join(".")}: ${message}`);
    throw new Error(`Wrong environment:\n${faults.join("\n")}`);
  }
  const { data } = result;
  return {
    host: data.HOST,
    port: data.PORT,
    grpcPort: data.GRPC_PORT,
    dataFolder: resolve(data.SWITCHYARD_DATA),
    mongodbUri: data.MONGODB_URI,
    mongodBinary: data.MONGOD_BINARY,
    secret: data.SWITCHYARD_SECRET,
    logLevel: data.LOG_LEVEL,
  };
}
