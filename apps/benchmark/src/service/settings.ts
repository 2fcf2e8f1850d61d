import { z } from "zod";

/** What can be set about running. Times are milliseconds. */
export interface BenchmarkSettings {
  /** How many files are extracted at once in this process, of all executions together. */
  readonly parallel: number;
  /** How many executions this process works on at once; others wait, or are taken by other processes. */
  readonly executions: number;
  /** How long an execution is left to a process that gives no sign of life. */
  readonly leaseMs: number;
  /** How often one gives a sign of life, and looks whether it shall go on. */
  readonly heartbeatIntervalMs: number;
  /** How often executions that nobody works on are looked for. */
  readonly sweepIntervalMs: number;
  /** After how long without a finished file a run is given up. */
  readonly stallTimeoutMs: number;
  /** How long the extraction of one file may take, waiting for its turn included. */
  readonly extractTimeoutMs: number;
  /** How often a file is tried whose extraction breaks off for another reason than that nobody answers. */
  readonly attempts: number;
  /** How long to wait after the first failed attempt; twice as long after each further one. */
  readonly retryMs: number;
  /** The longest such wait. */
  readonly maxRetryDelayMs: number;
  /** How often the progress of an execution that somebody watches is looked at. */
  readonly pollIntervalMs: number;
}

/** The settings that hold unless something else is said. */
export const defaultSettings: BenchmarkSettings = {
  parallel: 4,
  executions: 8,
  leaseMs: 30_000,
  heartbeatIntervalMs: 500,
  sweepIntervalMs: 1_000,
  stallTimeoutMs: 900_000,
  extractTimeoutMs: 120_000,
  attempts: 3,
  retryMs: 250,
  maxRetryDelayMs: 15_000,
  pollIntervalMs: 250,
};

/** The variables of the environment that an operator sets them with. */
export const benchmarkVariables = {
  SWITCHYARD_BENCHMARK_PARALLEL: z.coerce.number().int().min(1).max(64).default(4),
  SWITCHYARD_BENCHMARK_LEASE_SECONDS: z.coerce.number().min(1).max(3_600).default(30),
  SWITCHYARD_BENCHMARK_STALL_SECONDS: z.coerce.number().min(1).max(86_400).default(900),
};

/** The settings in variables that were read. */
export function benchmarkSettings(values: { [Name in keyof typeof benchmarkVariables]: number }): BenchmarkSettings {
  const leaseMs = values.SWITCHYARD_BENCHMARK_LEASE_SECONDS * 1_000;
  return {
    ...defaultSettings,
    parallel: values.SWITCHYARD_BENCHMARK_PARALLEL,
    leaseMs,
    heartbeatIntervalMs: Math.min(defaultSettings.heartbeatIntervalMs, leaseMs / 4),
    stallTimeoutMs: values.SWITCHYARD_BENCHMARK_STALL_SECONDS * 1_000,
  };
}
