import { decimal } from "@switchyard/environment";
import { z } from "zod";

/** The settings for running executions. Times are in milliseconds. */
export interface BenchmarkSettings {
  /** The maximum number of files that this process extracts at the same time, for all executions together. */
  readonly maxParallelFiles: number;
  /** The maximum number of executions that this process runs at the same time. Others wait or are run by other processes. */
  readonly maxExecutions: number;
  /** The duration of a lease. If its owner does not renew it, another process takes over the execution. */
  readonly leaseMs: number;
  /** The interval at which leases are renewed and executions checked for cancellation. */
  readonly heartbeatIntervalMs: number;
  /** The interval at which the worker looks for executions without a lease. */
  readonly sweepIntervalMs: number;
  /** The maximum time without a finished file, after which an execution fails. */
  readonly stallTimeoutMs: number;
  /** The maximum duration of the extraction of a file, including waiting in the extraction service. */
  readonly extractTimeoutMs: number;
  /** The maximum number of failed attempts to extract a file. Attempts while the service is unavailable are not counted. */
  readonly maxAttempts: number;
  /** The delay after the first failed attempt. It doubles with each further attempt. */
  readonly retryDelayMs: number;
  /** The maximum delay between attempts. */
  readonly maxRetryDelayMs: number;
  /** The interval at which the progress of a watched execution is read. */
  readonly pollIntervalMs: number;
  /** The interval at which review policies are looked at. */
  readonly policyIntervalMs: number;
}

/** The default settings. */
export const defaultSettings: BenchmarkSettings = {
  maxParallelFiles: 4,
  maxExecutions: 8,
  leaseMs: 30_000,
  heartbeatIntervalMs: 500,
  sweepIntervalMs: 1_000,
  stallTimeoutMs: 900_000,
  extractTimeoutMs: 330_000,
  maxAttempts: 3,
  retryDelayMs: 250,
  maxRetryDelayMs: 15_000,
  pollIntervalMs: 250,
  policyIntervalMs: 3_000,
};

/** The environment variables for the settings. */
export const benchmarkVariables = {
  SWITCHYARD_BENCHMARK_PARALLEL: decimal(z.number().int().min(1).max(64)).default(4),
  SWITCHYARD_BENCHMARK_LEASE_SECONDS: decimal(z.number().min(1).max(3_600)).default(30),
  SWITCHYARD_BENCHMARK_STALL_SECONDS: decimal(z.number().min(1).max(86_400)).default(900),
};

/** Converts the values of environment variables to settings. */
export function toBenchmarkSettings(values: { [Name in keyof typeof benchmarkVariables]: number }): BenchmarkSettings {
  const leaseMs = values.SWITCHYARD_BENCHMARK_LEASE_SECONDS * 1_000;
  return {
    ...defaultSettings,
    maxParallelFiles: values.SWITCHYARD_BENCHMARK_PARALLEL,
    leaseMs,
    heartbeatIntervalMs: Math.min(defaultSettings.heartbeatIntervalMs, leaseMs / 4),
    stallTimeoutMs: values.SWITCHYARD_BENCHMARK_STALL_SECONDS * 1_000,
  };
}
