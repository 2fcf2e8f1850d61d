import { join } from "node:path";
import { z } from "zod";

/** The address at which a process listens or is reached. */
export interface Address {
  host: string;
  port: number;
}

const maxPort = 65_535;

/** A variable of the form `host:port`. */
export function address(standard: string) {
  return z
    .string()
    .regex(/^[^\s:]+:\d{1,5}$/, "must be host:port")
    .refine(
      (text) => Number(text.slice(text.lastIndexOf(":") + 1)) <= maxPort,
      `must have a port of at most ${maxPort}`,
    )
    .default(standard)
    .transform((text): Address => {
      const [host = "", number = ""] = text.split(":");
      return { host, port: Number(number) };
    });
}

/**
 * A variable that is a decimal number, such as 30 or 0.5. Other texts that JavaScript converts to numbers are invalid: hexadecimal numbers,
 * exponents, and blanks, which would be 0 and therefore often mean "no limit".
 */
export function decimal(range: z.ZodNumber, message = "must be a number") {
  return z
    .string()
    .trim()
    .regex(/^-?\d+(\.\d+)?$/, message)
    .transform(Number)
    .pipe(range);
}

/** A variable that is a port. 0 selects a free port. */
export function port(standard: number) {
  const message = `must be a port, 0 to ${maxPort}`;
  return decimal(z.number().int(message).min(0, message).max(maxPort, message), message).default(standard);
}

const uri = z.string().regex(/^mongodb(\+srv)?:\/\//, "must begin with mongodb:// or mongodb+srv://");

/** MONGODB_URI: the replica set that stores the data. */
export const mongodbUri = uri;

/** SWITCHYARD_SECRET: the root secret in hexadecimal. The default is the secret in the data folder. */
export const rootSecret = z
  .string()
  .regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hexadecimal")
  .optional();

/** SWITCHYARD_DATA: the folder of the embedded store and the root secret. The default is in the workspace, not the current folder. */
export const dataFolder = z.string().default(join(import.meta.dirname, "../../../.switchyard"));

/** LOG_LEVEL: one of the levels of pino. */
export function logLevel(standard: "info" | "warn") {
  const levels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
  return z.enum(levels, `must be one of ${levels.join(", ")}`).default(standard);
}
