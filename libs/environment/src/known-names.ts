import { closestMatch } from "leven";

/**
 * All variables with the prefix SWITCHYARD_ that any of the programs reads; they often share an environment. A test compares the list
 * with docs/configuration.md.
 */
export const knownNames: readonly string[] = [
  "SWITCHYARD_BASE_URL",
  "SWITCHYARD_BENCH_RECORDS",
  "SWITCHYARD_BENCH_ROUNDS",
  "SWITCHYARD_BENCH_SECONDS",
  "SWITCHYARD_BENCHMARK_LEASE_SECONDS",
  "SWITCHYARD_BENCHMARK_PARALLEL",
  "SWITCHYARD_BENCHMARK_STALL_SECONDS",
  "SWITCHYARD_CONSOLE",
  "SWITCHYARD_CORS_ORIGINS",
  "SWITCHYARD_DATA",
  "SWITCHYARD_ENGINES",
  "SWITCHYARD_EXTRACTION_LEASE_SECONDS",
  "SWITCHYARD_EXTRACTION_PARALLEL",
  "SWITCHYARD_FILE_RETENTION_DAYS",
  "SWITCHYARD_MAX_CONNECTIONS",
  "SWITCHYARD_OCR",
  "SWITCHYARD_OCR_MODELS",
  "SWITCHYARD_OCR_PAGES",
  "SWITCHYARD_OCR_PARALLEL",
  "SWITCHYARD_PROFILE",
  "SWITCHYARD_RATE_LIMIT",
  "SWITCHYARD_READ_TIMEOUT_SECONDS",
  "SWITCHYARD_REQUEST_TIMEOUT_SECONDS",
  "SWITCHYARD_SECRET",
  "SWITCHYARD_SENT_COMMANDS",
  "SWITCHYARD_TEST_COUNTS",
  "SWITCHYARD_TEST_SEED",
  "SWITCHYARD_TOKEN",
  "SWITCHYARD_UPLOAD_MEMORY",
];

/** Returns a warning for each unknown variable with the prefix SWITCHYARD_, with the most similar known name. */
export function warnOfUnknownNames(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(variables)
    .filter((name) => name.startsWith("SWITCHYARD_") && !knownNames.includes(name))
    .sort()
    .map((name) => {
      // Names that differ by more than this would be guesses.
      const nearest = closestMatch(name, [...knownNames], { maxDistance: 6 });
      const suggestion = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
      return `The environment variable ${name} is unknown and has no effect.${suggestion}`;
    });
}
