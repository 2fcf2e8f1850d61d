/** What can be set about the service. Times are milliseconds. */
export interface ServiceSettings {
  /** The largest file, in bytes. */
  readonly maxFileBytes: number;
  /** How long a file without a project is kept. */
  readonly retentionMs: number;
  /** How long the answer to a started extraction waits for its end. */
  readonly waitMs: number;
  /** How long an extraction is left to one who gives no sign of life. */
  readonly leaseMs: number;
  /** How often one gives a sign of life. */
  readonly heartbeatIntervalMs: number;
  /** How often left extractions are looked for. */
  readonly sweepIntervalMs: number;
  /** How often files whose time is over are looked for. */
  readonly cleanupIntervalMs: number;
  /** After how long bytes that are being taken in count as given up; longer than any request takes. */
  readonly blobGraceMs: number;
  /** How long bytes to which no file refers any more are kept; longer than a transaction of the database lives. */
  readonly blobSettleMs: number;
  /** How long it counts that some bytes could not be read: it may have been for want of time or memory. */
  readonly unreadableRetentionMs: number;
  /** How often an extraction is begun at most. */
  readonly maxAttempts: number;
  /** How long to wait after the first failed attempt; twice as long after the second, and so on. */
  readonly retryMs: number;
  /** How many extractions run at once in this process. */
  readonly parallel: number;
  /** How many more may wait in this process; what is above is left to the sweep. */
  readonly queueLength: number;
  /** How long the extraction of one document may take. */
  readonly extractionTimeoutMs: number;
  /** How much memory it may take, in MiB. */
  readonly extractionMemoryMb: number;
}

/** The settings that hold unless something else is said. */
export const defaultSettings: ServiceSettings = {
  maxFileBytes: 25 * 1024 * 1024,
  retentionMs: 30 * 24 * 60 * 60 * 1000,
  waitMs: 2_000,
  leaseMs: 30_000,
  heartbeatIntervalMs: 10_000,
  sweepIntervalMs: 2_000,
  cleanupIntervalMs: 60_000,
  blobGraceMs: 60 * 60 * 1000,
  blobSettleMs: 2 * 60 * 1000,
  unreadableRetentionMs: 10 * 60 * 1000,
  maxAttempts: 3,
  retryMs: 1_000,
  parallel: 2,
  queueLength: 500,
  extractionTimeoutMs: 30_000,
  extractionMemoryMb: 512,
};
