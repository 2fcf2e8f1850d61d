import { closestMatch } from "leven";

/**
 * Every variable that Switchyard reads and that begins with its name, for all programs together: they often share an environment. A
 * test holds this list and docs/configuration.md together.
 */
export const knownNames: readonly string[] = [
  "SWITCHYARD_BASE_URL",
  "SWITCHYARD_BENCH_RECORDS",
  "SWITCHYARD_BENCHMARK_LEASE_SECONDS",
  "SWITCHYARD_BENCHMARK_PARALLEL",
  "SWITCHYARD_BENCHMARK_STALL_SECONDS",
  "SWITCHYARD_DATA",
  "SWITCHYARD_EXTRACTION_LEASE_SECONDS",
  "SWITCHYARD_EXTRACTION_PARALLEL",
  "SWITCHYARD_FILE_RETENTION_DAYS",
  "SWITCHYARD_MAX_BODY_MEGABYTES",
  "SWITCHYARD_MAX_CONNECTIONS",
  "SWITCHYARD_PROFILE",
  "SWITCHYARD_READ_TIMEOUT_SECONDS",
  "SWITCHYARD_REQUEST_TIMEOUT_SECONDS",
  "SWITCHYARD_SECRET",
  "SWITCHYARD_SENT_COMMANDS",
  "SWITCHYARD_TEST_COUNTS",
  "SWITCHYARD_TEST_SEED",
  "SWITCHYARD_TOKEN",
];

/** A sentence for each variable that begins with SWITCHYARD_ and that no program reads, with the nearest name that one does. */
export function warnOfUnknownNames(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(variables)
    .filter((name) => name.startsWith("SWITCHYARD_") && !knownNames.includes(name))
    .sort()
    .map((name) => {
      // Half of the name may be wrong, but not so much that the suggestion is a guess.
      const nearest = closestMatch(name, [...knownNames], { maxDistance: 6 });
      const suggestion = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
      return `The environment variable ${name} is unknown and has no effect.${suggestion}`;
    });
}
