import { z } from "zod";

/** The settings of the gateway as a process of its own. */
export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly grpcPort: number;
  readonly logLevel: string;
  /** Where the services are, as "host:port", by audience. */
  readonly addresses: { readonly configuration: string; readonly extraction: string; readonly classifier: string };
  /** The root secret of the identity between services, in hexadecimal; from the file in `dataFolder` when undefined. */
  readonly secret: string | undefined;
  readonly dataFolder: string;
}

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);
const address = (fallback: string) =>
  z
    .string()
    .regex(/^(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/, "must be host:port")
    .default(fallback);

const schema = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: port(8080),
  GRPC_PORT: port(8081),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  CONFIGURATION_ADDRESS: address("127.0.0.1:8191"),
  EXTRACTION_ADDRESS: address("127.0.0.1:8192"),
  CLASSIFIER_ADDRESS: address("127.0.0.1:8193"),
  SWITCHYARD_SECRET: z
    .string()
    .regex(/^(?:[0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hexadecimal")
    .optional(),
  SWITCHYARD_DATA: z.string().min(1).default(".switchyard"),
});

/**
 * Reads the environment; an empty variable counts as absent.
 * @throws Error that names every variable with a wrong value, never the value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): GatewayConfig {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const outcome = schema.safeParse(given);
  if (!outcome.success) {
    const problems = outcome.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new Error(`wrong environment: ${problems.join("; ")}`);
  }
  const values = outcome.data;
  return {
    host: values.HOST,
    port: values.PORT,
    grpcPort: values.GRPC_PORT,
    logLevel: values.LOG_LEVEL,
    addresses: {
      configuration: values.CONFIGURATION_ADDRESS,
      extraction: values.EXTRACTION_ADDRESS,
      classifier: values.CLASSIFIER_ADDRESS,
    },
    secret: values.SWITCHYARD_SECRET,
    dataFolder: values.SWITCHYARD_DATA,
  };
}
