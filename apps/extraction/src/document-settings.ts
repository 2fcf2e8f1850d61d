import { z } from "zod";
import type { ServiceSettings } from "./service/settings.ts";

/** What an operator can set about documents, whatever process the service runs in. Times are milliseconds. */
export interface DocumentSettings {
  /** How long a file without a project is kept. */
  retentionMs: number;
  /** How many documents are read and extracted at once. */
  parallel: number;
  /** How long an extraction is left to a process that gives no sign of life. */
  leaseMs: number;
  /** How long reading one document may take. */
  readTimeoutMs: number;
}

const day = 24 * 60 * 60;

/** The variables of the environment that set them. */
export const documentVariables = {
  SWITCHYARD_FILE_RETENTION_DAYS: z.coerce.number().positive().max(36_500).default(30),
  SWITCHYARD_EXTRACTION_PARALLEL: z.coerce.number().int().min(1).max(64).default(2),
  SWITCHYARD_EXTRACTION_LEASE_SECONDS: z.coerce.number().min(1).max(3_600).default(30),
  SWITCHYARD_READ_TIMEOUT_SECONDS: z.coerce.number().min(1).max(600).default(20),
};

/** The settings in variables that were read. */
export function documentSettings(values: { [Name in keyof typeof documentVariables]: number }): DocumentSettings {
  return {
    retentionMs: values.SWITCHYARD_FILE_RETENTION_DAYS * day * 1_000,
    parallel: values.SWITCHYARD_EXTRACTION_PARALLEL,
    leaseMs: values.SWITCHYARD_EXTRACTION_LEASE_SECONDS * 1_000,
    readTimeoutMs: values.SWITCHYARD_READ_TIMEOUT_SECONDS * 1_000,
  };
}

/** What of them the service itself goes by; a sign of life comes three times a lease. */
export function serviceSettings({ retentionMs, parallel, leaseMs }: DocumentSettings): Partial<ServiceSettings> {
  return { retentionMs, parallel, leaseMs, heartbeatIntervalMs: leaseMs / 3 };
}
