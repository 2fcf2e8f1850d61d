import { resolve } from "node:path";
import { z } from "zod";

/** Where the extraction service serves, and where it finds what it needs. */
export interface Config {
  /** Where it listens. */
  address: { host: string; port: number };
  /** The configuration service, as host:port. */
  configurationAddress: string;
  mongodbUri: string;
  /** The root secret in hexadecimal; undefined: the one in the data folder. */
  secret: string | undefined;
  dataFolder: string;
  logLevel: string;
  /** How long a file without a project is kept, in milliseconds. */
  retentionMs: number;
  /** How many documents are read and extracted at once. */
  parallel: number;
}

const address = z
  .string()
  .regex(/^[^\s:]+:\d{1,5}$/, "must be host:port")
  .refine((text) => Number(text.split(":")[1]) <= 65_535, "must have a port of at most 65535");

const environment = z.object({
  EXTRACTION_ADDRESS: address.default("127.0.0.1:8192"),
  CONFIGURATION_ADDRESS: address.default("127.0.0.1:8191"),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, "must begin with mongodb:// or mongodb+srv://")
    .default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_SECRET: z
    .string()
    .regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hexadecimal")
    .optional(),
  // The workspace's own folder, wherever the process was started.
  SWITCHYARD_DATA: z
    .string()
    .min(1)
    .default(resolve(import.meta.dirname, "../../../.switchyard")),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  SWITCHYARD_FILE_RETENTION_DAYS: z.coerce.number().positive().max(36_500).default(30),
  SWITCHYARD_EXTRACTION_PARALLEL: z.coerce.number().int().min(1).max(64).default(2),
});

/** The configuration in environment variables. Throws an error that names each variable with a wrong value. */
export function readConfig(variables: Readonly<Record<string, string | undefined>> = process.env): Config {
  const { success, data, error } = environment.safeParse(variables);
  if (!success) {
    const faults = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Wrong environment: ${faults.join("; ")}`);
  }
  const [host = "", port = ""] = data.EXTRACTION_ADDRESS.split(":");
  return {
    address: { host, port: Number(port) },
    configurationAddress: data.CONFIGURATION_ADDRESS,
    mongodbUri: data.MONGODB_URI,
    secret: data.SWITCHYARD_SECRET,
    dataFolder: data.SWITCHYARD_DATA,
    logLevel: data.LOG_LEVEL,
    retentionMs: data.SWITCHYARD_FILE_RETENTION_DAYS * 24 * 60 * 60 * 1000,
    parallel: data.SWITCHYARD_EXTRACTION_PARALLEL,
  };
}
