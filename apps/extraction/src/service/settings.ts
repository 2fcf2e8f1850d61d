/** The settings of the service. Times are in milliseconds. */
export interface ServiceSettings {
  /** The maximum size of a file, in bytes. */
  readonly maxFileBytes: number;
  /** The retention period of files without a project. */
  readonly retentionMs: number;
  /** The maximum time for which the response to a started extraction waits for its end. */
  readonly waitMs: number;
  /** The duration of a lease without renewal. */
  readonly leaseMs: number;
  /** The interval at which leases are renewed. */
  readonly heartbeatIntervalMs: number;
  /** The interval at which unfinished extractions are looked for. */
  readonly sweepIntervalMs: number;
  /** The interval at which expired files are removed. */
  readonly cleanupIntervalMs: number;
  /** The time after which an unfinished upload counts as abandoned. It is longer than any request. */
  readonly blobGraceMs: number;
  /** The time for which unreferenced bytes are kept. It is longer than any transaction. */
  readonly blobSettleMs: number;
  /** The time for which a failure to read bytes is cached. It may have been caused by a lack of time or memory. */
  readonly unreadableRetentionMs: number;
  /** The maximum number of attempts at an extraction. */
  readonly maxAttempts: number;
  /** The delay after the first failed attempt, which doubles with each further one. */
  readonly retryMs: number;
  /** The delay before an extraction is attempted again if too many others wait for its language model. */
  readonly busyRetryMs: number;
  /** The maximum number of extractions that wait for one language model in this process. */
  readonly maxWaitingForEngine: number;
  /** The time limit for all questions to a language model about a document, with waiting for the engine and retries. */
  readonly engineTimeoutMs: number;
  /** The maximum number of concurrent extractions in this process. Those that wait for a language model do not count. */
  readonly parallel: number;
  /** The maximum number of waiting extractions in this process. Further ones are left to the sweep. */
  readonly queueLength: number;
  /** The time after which a new extraction is stored although it has no values yet. */
  readonly storeAfterMs: number;
  /** The maximum number of jobs that this process runs at the same time. They share the extractions of this process. */
  readonly maxJobs: number;
  /** The time without a finished file after which a job fails. */
  readonly jobStallTimeoutMs: number;
  /** The time limit for the extraction of a document. */
  readonly extractionTimeoutMs: number;
  /** The memory limit for the extraction of a document, in MiB. */
  readonly extractionMemoryMb: number;
  /** The time limit for describing a document or learning from the accepted files of a model. */
  readonly learningTimeoutMs: number;
  /** The memory limit for learning, in MiB. */
  readonly learningMemoryMb: number;
  readonly learning: LearningSettings;
}

/** The settings of learning from accepted files. Times are in milliseconds. */
export interface LearningSettings {
  /** The interval at which the accepted files of models in use are compared with what was learned. */
  readonly checkIntervalMs: number;
  /** The maximum time for which an extraction waits if nothing was learned about its model in this process yet. */
  readonly firstWaitMs: number;
  /** The time for which a model counts as in use after its last extraction. */
  readonly idleMs: number;
  /** The maximum number of models for which what was learned is kept in memory. */
  readonly maxModels: number;
  /** The maximum size of the described files in memory, in bytes. */
  readonly maxBytes: number;
}

/** The default settings. */
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
  busyRetryMs: 3_000,
  maxWaitingForEngine: 16,
  engineTimeoutMs: 300_000,
  parallel: 2,
  queueLength: 500,
  storeAfterMs: 100,
  maxJobs: 4,
  jobStallTimeoutMs: 60 * 60 * 1000,
  extractionTimeoutMs: 30_000,
  extractionMemoryMb: 512,
  learningTimeoutMs: 60_000,
  learningMemoryMb: 512,
  learning: {
    checkIntervalMs: 2_000,
    firstWaitMs: 5_000,
    idleMs: 10 * 60 * 1000,
    maxModels: 16,
    maxBytes: 96 * 1024 * 1024,
  },
};
