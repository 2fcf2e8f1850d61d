import { Code } from "@connectrpc/connect";
import type { ConnectError } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";

/** The maximum of what an organization may have. */
export interface Quotas {
  readonly classifiers: number;
  readonly models: number;
  readonly schemaVersions: number;
  readonly storedBytes: number;
}

/** The quotas of an organization for which no others were set. */
export const defaultQuotas: Quotas = {
  classifiers: 1_000,
  models: 10_000,
  schemaVersions: 100_000,
  storedBytes: 100 * 1024 ** 3,
};

/** What each quota limits, for people. */
const nouns: Readonly<Record<keyof Quotas, string>> = {
  classifiers: "classifiers",
  models: "models",
  schemaVersions: "versions of extraction schemas",
  storedBytes: "stored bytes of files",
};

/**
 * Throws InvalidArgument (QUOTA_EXCEEDED) if an organization would have more than one of its quotas allows. `used` is what it would have,
 * and `added` what of this the request adds. Quotas of which the request adds nothing are ignored.
 */
export function requireQuota<Kind extends keyof Quotas>(
  quotas: Pick<Quotas, Kind>,
  used: Readonly<Record<Kind, number>>,
  added: Readonly<Partial<Record<Kind, number>>>,
): void {
  for (const quota of Object.keys(added) as Kind[]) {
    const more = added[quota] ?? 0;
    if (more > 0 && used[quota] > quotas[quota]) throw quotaExceeded(quota, quotas[quota], used[quota] - more);
  }
}

function quotaExceeded(quota: keyof Quotas, limit: number, used: number): ConnectError {
  const message = `The organization may have at most ${limit} ${nouns[quota]}, and has ${used}.`;
  return problem(Code.InvalidArgument, "QUOTA_EXCEEDED", message, {
    violations: [{ field: "", message }],
    metadata: { quota, limit: String(limit), used: String(used) },
  });
}

/** Looks up the quotas of organizations. */
export interface QuotaLookup {
  /** Returns the quotas of an organization, which may be a few seconds old. While they cannot be loaded, the last known ones are used. */
  get(organizationId: string): Promise<Quotas>;
}

/** How long a service waits for quotas from another process before it uses the last known ones, in milliseconds. */
export const quotaTimeoutMs = 1_000;

/** The time after which quotas are loaded again, in milliseconds. */
const maxAgeMs = 5_000;
const maxEntries = 1_000;

/** Creates a lookup that keeps the result of `load` for five seconds. */
export function createQuotaLookup(
  load: (organizationId: string) => Promise<Quotas>,
  now: () => number = () => performance.now(),
): QuotaLookup {
  const known = new Map<string, { readonly quotas: Quotas; readonly at: number }>();
  return {
    async get(organizationId) {
      const entry = known.get(organizationId);
      if (entry !== undefined && now() - entry.at < maxAgeMs) return entry.quotas;
      try {
        const at = now();
        const quotas = await load(organizationId);
        if (known.size >= maxEntries) known.clear();
        known.set(organizationId, { quotas, at });
        return quotas;
      } catch (error) {
        if (entry !== undefined) return entry.quotas;
        throw error;
      }
    },
  };
}
