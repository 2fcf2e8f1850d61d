import { Code } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import type { DeletedProjects } from "@switchyard/change-feed";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import { getProblemFacts, unlessAborted } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import { isDuplicateKey } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { JobFile, JobRecord, JobStore } from "../../store/jobs.ts";
import type { Runner } from "../extractions/runner.ts";
import type { ServiceSettings } from "../settings.ts";

/** The dependencies of the run of a job. */
export interface JobRunDependencies {
  storage: Pick<Storage, "atomically">;
  deletedProjects: Pick<DeletedProjects, "has">;
  jobs: JobStore;
  extractions: ExtractionStore;
  files: FileStore;
  targets: Client<typeof TargetService>;
  runner: Pick<Runner, "firstLease" | "run">;
  logger: Pick<Logger, "info" | "warn">;
  now: () => number;
  settings: Pick<ServiceSettings, "parallel">;
}

/** The number of files after which progress is stored, per file that is extracted at the same time. */
const filesPerSlot = 4;
/** The time after which the status of an extraction that another process makes is read again, in milliseconds, and its maximum. */
const [pollMs, maxPollMs] = [100, 2_000];

/**
 * Creates the function that runs a job whose lease is held, until it has ended, the lease is lost or the signal is aborted. It continues
 * where the previous owner stopped. The ID of the extraction of each file is fixed when the job is created, so that no file is extracted
 * twice: an extraction that was begun before is waited for.
 */
export function createJobRun(dependencies: JobRunDependencies) {
  const { storage, deletedProjects, jobs, extractions, files, targets, runner, logger, now, settings } = dependencies;

  async function hasSchema({ schemaId }: JobRecord, signal: AbortSignal): Promise<boolean> {
    try {
      await targets.getSchema({ schemaId }, { signal });
      return true;
    } catch (error) {
      if (getProblemFacts(error).code === Code.NotFound) return false;
      throw error;
    }
  }

  /** Stores a new extraction. Returns null if there is one with its ID already, or the project was deleted. */
  async function begin(job: JobRecord, extractionId: string, file: FileRecord): Promise<ExtractionRecord | null> {
    const record: ExtractionRecord = {
      _id: extractionId,
      fileId: file._id,
      projectId: job.projectId,
      organizationId: job.organizationId,
      modelId: job.modelId,
      deploymentId: job.deploymentId,
      schemaId: job.schemaId,
      status: ExtractionStatus.RUNNING,
      error: null,
      warnings: file.warnings ?? [],
      ...runner.firstLease(),
      createdAt: new Date(now()),
      createdBy: job.createdBy,
      completedAt: null,
    };
    try {
      return await storage.atomically(async (session) => {
        if (await deletedProjects.has(job.projectId, session)) return null;
        await extractions.insert([record], session);
        return record;
      });
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  /** Waits until an extraction has ended. Returns whether it is completed. */
  async function waitForEnd(extractionId: string, signal: AbortSignal): Promise<boolean> {
    for (let delay = pollMs; ; delay = Math.min(2 * delay, maxPollMs)) {
      const status = (await extractions.getStatuses([extractionId])).get(extractionId);
      if (status !== ExtractionStatus.RUNNING) return status === ExtractionStatus.COMPLETED;
      await sleep(delay, undefined, { signal });
    }
  }

  /** Extracts a file. Returns whether that succeeded. */
  async function extract(job: JobRecord, { fileId, extractionId }: JobFile, signal: AbortSignal): Promise<boolean> {
    if ((await extractions.find(extractionId)) === null) {
      const file = await files.find(fileId);
      if (file === null || file.projectId !== job.projectId) return false;
      const record = await begin(job, extractionId, file);
      if (record !== null && record.attempts > 0) await unlessAborted(runner.run(record, file), signal);
    }
    return waitForEnd(extractionId, signal);
  }

  /** Extracts files concurrently, and returns the number of those that failed. */
  async function extractSome(job: JobRecord, some: readonly JobFile[], signal: AbortSignal): Promise<number> {
    const remaining = some[Symbol.iterator]();
    let failed = 0;
    const work = async (): Promise<void> => {
      for (const file of remaining) {
        signal.throwIfAborted();
        if (!(await extract(job, file, signal))) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: settings.parallel }, work));
    return failed;
  }

  /** Extracts the remaining files. Returns the status with which the job ends, or undefined if its lease was lost. */
  async function extractRemaining(job: JobRecord, signal: AbortSignal): Promise<JobStatus | undefined> {
    let { done, failed } = job;
    let together: JobFile[] = [];
    while (done < job.total) {
      if (!(await hasSchema(job, signal))) return JobStatus.FAILED;
      if (together.length === 0) together = await jobs.readFiles(job._id, done);
      const some = together.slice(0, settings.parallel * filesPerSlot);
      together = together.slice(some.length);
      // The list of files is gone if the job was cancelled or removed.
      if (some.length === 0) return undefined;
      const newlyFailed = await extractSome(job, some, signal);
      const by = { done: some.length, failed: newlyFailed };
      if (!(await jobs.advance({ ...job, done }, by, new Date(now())))) return undefined;
      done += by.done;
      failed += by.failed;
    }
    return failed === job.total && job.total > 0 ? JobStatus.FAILED : JobStatus.COMPLETED;
  }

  return async (job: JobRecord, signal: AbortSignal): Promise<void> => {
    try {
      const status = await extractRemaining(job, signal);
      const ended = status !== undefined && (await jobs.finish(job._id, job.lease, status, new Date(now())));
      if (!ended) return logger.warn({ jobId: job._id, fence: job.lease.fence }, "lease of the job lost");
      logger.info({ jobId: job._id, completed: status === JobStatus.COMPLETED }, "job ended");
      await jobs.forgetFiles(job._id);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
}
