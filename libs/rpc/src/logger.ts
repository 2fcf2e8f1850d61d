import { type Logger, pino } from "pino";

export type { Logger };

const secrets = ["authorization", "cookie", "x-switchyard-identity", "secret", "token"];

/**
 * Creates a logger that writes one JSON object per line to `destination`, by default standard output. What cannot be written to standard
 * output, because the disk is full or the reader of a pipe has ended, is lost, and the process continues; errors of another destination
 * are left to the caller. Values of fields with the names of secrets, for example `authorization`, are redacted at the top level and up to
 * two levels deeper.
 */
export function createLogger(options: { name: string; level: string; destination?: NodeJS.WritableStream }): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    serializers: { err: loggedError },
    redact: { paths: secrets.flatMap((name) => ["", "*.", "*.*."].map((prefix) => path(prefix, name))) },
  };
  return pino(settings, options.destination ?? getStandardOutput());
}

/** Returns standard output. The destination that pino opens itself would stop the whole process until there is space. */
function getStandardOutput(): NodeJS.WritableStream {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", () => undefined);
  return process.stdout;
}

/**
 * Converts an error to its logged form: type, message, stack, causes, and its scalar fields. Other objects are left out, because a status
 * refers to the descriptors of its details, which are megabytes.
 */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "no error but an object" : error;
  const single = Object.entries(error).filter(([, value]) => value === null || !/object|function/.test(typeof value));
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(single),
    ...(error.cause === undefined ? {} : { cause: loggedError(error.cause) }),
    ...(error instanceof AggregateError ? { errors: error.errors.slice(0, 10).map(loggedError) } : {}),
  };
}

function path(prefix: string, name: string): string {
  return name.includes("-") ? `${prefix.replace(/\.$/, "")}["${name}"]` : `${prefix}${name}`;
}
