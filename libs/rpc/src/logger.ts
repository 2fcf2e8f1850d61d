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
    redact: { paths: secrets.flatMap((name) => ["", "*.", "*.*."].map((prefix) => path(prefix, name))) },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

function path(prefix: string, name: string): string {
  return name.includes("-") ? `${prefix.replace(/\.$/, "")}["${name}"]` : `${prefix}${name}`;
}
