import { z } from "zod";

/** How this process is set up. */
export interface Config {
  /** Where it listens. */
  address: { host: string; port: number };
  mongodbUri: string;
  /** The root secret in hexadecimal; from the file in `dataFolder` when undefined. */
  secret: string | undefined;
  dataFolder: string;
  logLevel: string;
}

const address = z
  .string()
  .regex(/^[^\s:]+:\d{1,5}$/, "must be host:port")
  .transform((text) => {
    const [host = "", port = ""] = text.split(":");
    return { host, port: Number(port) };
  })
  .refine(({ port }) => port <= 65_535, "must have a port of at most 65535");

const environment = z.object({
  CONFIGURATION_ADDRESS: address.default({ host: "127.0.0.1", port: 8191 }),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, "must begin with mongodb:// or mongodb+srv://")
    .default("mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true"),
  SWITCHYARD_SECRET: z
    .string()
    .regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hexadecimal")
    .optional(),
  SWITCHYARD_DATA: z.string().min(1, "must name a folder").default(".switchyard"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

/** The configuration in these environment variables. Throws an error that names every variable with a wrong value. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const result = environment.safeParse(variables);
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Wrong environment: ${faults.join("; ")}`);
  }
  return {
    address: result.data.CONFIGURATION_ADDRESS,
    mongodbUri: result.data.MONGODB_URI,
    secret: result.data.SWITCHYARD_SECRET,
    dataFolder: result.data.SWITCHYARD_DATA,
    logLevel: result.data.LOG_LEVEL,
  };
}
