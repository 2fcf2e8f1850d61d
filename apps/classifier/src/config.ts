import { z } from "zod";

/** What the environment says of a classifier service of its own process. */
export interface Config {
  host: string;
  port: number;
  mongodbUri: string;
  configurationAddress: string;
  extractionAddress: string;
  /** The folder with the root secret, when the environment does not give it. */
  dataFolder: string;
  secret: string | undefined;
  logLevel: string;
}

const address = z.string().regex(/^[^\s:]+:\d{1,5}$/, "must be host:port");

const schema = z.object({
  CLASSIFIER_ADDRESS: address.default("127.0.0.1:8193"),
  CONFIGURATION_ADDRESS: address.default("127.0.0.1:8191"),
  EXTRACTION_ADDRESS: address.default("127.0.0.1:8192"),
  MONGODB_URI: z.string().min(1).default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_DATA: z.string().min(1).default(".switchyard"),
  SWITCHYARD_SECRET: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
});

/** Reads the environment. Throws one error that names every variable with a wrong value. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const result = schema.safeParse(environment);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `  ${path.join(".")}: ${message}`);
    throw new Error(`Wrong environment:\n${faults.join("\n")}`);
  }
  const { data } = result;
  const [host = "", port = ""] = data.CLASSIFIER_ADDRESS.split(":");
  return {
    host,
    port: Number(port),
    mongodbUri: data.MONGODB_URI,
    configurationAddress: data.CONFIGURATION_ADDRESS,
    extractionAddress: data.EXTRACTION_ADDRESS,
    dataFolder: data.SWITCHYARD_DATA,
    secret: data.SWITCHYARD_SECRET,
    logLevel: data.LOG_LEVEL,
  };
}
