import { type Logger, pino } from "pino";

export type { Logger };

const secrets = ["authorization", "cookie", "x-switchyard-identity", "secret", "token"];

/**
 * A logger that writes one JSON object a line to `destination` (standard output when absent). Values under the names of
 * secrets (authorization among them) are replaced, at the top and up to two levels down.
 */
export function createLogger(options: { name: string; level: string; destination?: NodeJS.WritableStream }): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    serializers: { err: loggedError },
    redact: { paths: secrets.flatMap((name) => ["", "*.", "*.*."].map((prefix) => path(prefix, name))) },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

/**
 * An error as it is logged: type, message, stack, its causes, and what it says in single values. Objects that errors carry along stay
 * out: a status carries the descriptors of its details, which are megabytes.
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
