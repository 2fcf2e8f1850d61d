import { JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import {
  createLeaseSchema,
  createProgressingStore,
  createRunEvents,
  removeInBatches,
  toHeldLeaseFilter,
} from "@switchyard/storage";
import type { Lease, LeasedStore, RunEvents } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import type { Transaction } from "./transaction.ts";

/** A job that extracts files of a model again. */
export interface JobRecord {
  _id: string;
  organizationId: string;
  projectId: string;
  modelId: string;
  /** The deployment, if the job was created for one. */
  deploymentId: string | null;
  schemaId: string;
  status: JobStatus;
  total: number;
  /** The number of files that are finished, which is also the place of the next one. Files are finished in their order. */
  done: number;
  /** The number of finished files that failed. */
  failed: number;
  lease: Lease;
  createdAt: Date;
  createdBy: string;
  /** The time when files were last finished, or the job was created. */
  progressAt: Date;
  completedAt: Date | null;
}

/** A file of a job, with the ID of the extraction that the job makes of it. */
export interface JobFile {
  fileId: string;
  extractionId: string;
}

/** Stores jobs, their leases and their files. */
export interface JobStore extends LeasedStore<JobRecord>, RunEvents {
  insert(record: JobRecord, files: readonly JobFile[], session: Transaction): Promise<void>;
  find(id: string, session?: Transaction): Promise<JobRecord | null>;
  /** Reads files from a place on, at most those that are stored together with the first one. */
  readFiles(id: string, from: number): Promise<JobFile[]>;
  /** Counts finished files with one write. Returns false, and counts nothing, if the lease was lost or the job has ended. */
  advance(
    job: Pick<JobRecord, "_id" | "lease" | "done">,
    by: { done: number; failed: number },
    now: Date,
  ): Promise<boolean>;
  /** Ends a job. Returns false if the lease was lost or the job has ended. */
  finish(id: string, lease: Lease, status: JobStatus, now: Date): Promise<boolean>;
  /**
   * Fails running jobs without a finished file since a time, whoever holds the lease. The time in which nobody holds it does not count. Returns
   * their IDs.
   */
  failStalled(since: Date, now: Date, limit: number): Promise<string[]>;
  /** Cancels a running job. Returns it, or null if it was not running. */
  cancel(id: string, now: Date, session: Transaction): Promise<JobRecord | null>;
  /** Removes the list of files of a job that has ended. */
  forgetFiles(id: string): Promise<void>;
  /** Removes the jobs of a project, including running ones, and returns their IDs. */
  removeProject(projectId: string): Promise<string[]>;
}

interface FilesDocument {
  /** The job and the number of the document, separated by a space. */
  _id: string;
  jobId: string;
  fileIds: string[];
  extractionIds: string[];
}

/** The number of files in one document. */
const filesTogether = 500;

/** Creates the store of jobs. */
export function createJobStore(connection: Connection): JobStore {
  const jobs = connection.model<JobRecord>("Job", jobSchema(), "jobs");
  const lists = connection.model<FilesDocument>("JobFiles", filesSchema(), "job_files");
  const running = { status: JobStatus.RUNNING };
  const whileHeld = (id: string, lease: Lease) => ({ _id: id, ...running, ...toHeldLeaseFilter(lease) });

  const leases = createProgressingStore<JobRecord>(jobs, running);

  return {
    ...leases,
    ...createRunEvents(jobs, JobStatus),

    async insert(record, files, session) {
      await jobs.insertMany([record], { session, lean: true });
      const documents: FilesDocument[] = [];
      for (let from = 0; from < files.length; from += filesTogether) {
        const some = files.slice(from, from + filesTogether);
        documents.push({
          _id: toListId(record._id, from),
          jobId: record._id,
          fileIds: some.map(({ fileId }) => fileId),
          extractionIds: some.map(({ extractionId }) => extractionId),
        });
      }
      if (documents.length > 0) await lists.insertMany(documents, { session, lean: true });
    },

    find: (id, session) => jobs.findById(id, null, session === undefined ? {} : { session }).lean(),

    async readFiles(id, from) {
      const list = await lists.findById(toListId(id, from)).lean();
      if (list === null) return [];
      const files = list.fileIds.map((fileId, index) => ({ fileId, extractionId: list.extractionIds[index] ?? "" }));
      return files.slice(from % filesTogether);
    },

    async advance({ _id, lease, done }, by, now) {
      const { matchedCount } = await jobs.updateOne(
        { ...whileHeld(_id, lease), done },
        { $inc: { done: by.done, failed: by.failed }, $set: { progressAt: now } },
      );
      return matchedCount > 0;
    },

    async finish(id, lease, status, now) {
      const { matchedCount } = await jobs.updateOne(whileHeld(id, lease), { $set: { status, completedAt: now } });
      return matchedCount > 0;
    },

    async failStalled(since, now, limit) {
      const ended: string[] = [];
      for (const id of await leases.listStalled(since, now, limit)) {
        const stalled = { ...running, _id: id, progressAt: mongoose.trusted({ $lt: since }) };
        const end = { $set: { status: JobStatus.FAILED, completedAt: now } };
        if ((await jobs.findOneAndUpdate(stalled, end).lean()) !== null) ended.push(id);
      }
      return ended;
    },

    async cancel(id, now, session) {
      const end = { $set: { status: JobStatus.CANCELLED, completedAt: now } };
      return jobs.findOneAndUpdate({ _id: id, ...running }, end, { session, returnDocument: "after" }).lean();
    },

    async forgetFiles(id) {
      await lists.deleteMany({ jobId: id });
    },

    async removeProject(projectId) {
      const ids = (await jobs.find({ projectId }, { _id: 1 }).lean()).map(({ _id }) => _id);
      for (const jobId of ids) await lists.deleteMany({ jobId });
      await removeInBatches(jobs, { projectId });
      return ids;
    },
  };
}

function toListId(jobId: string, place: number): string {
  return `${jobId} ${Math.floor(place / filesTogether)}`;
}

function jobSchema(): mongoose.Schema<JobRecord> {
  const schema = new mongoose.Schema<JobRecord>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      projectId: { type: String, required: true },
      modelId: { type: String, required: true },
      deploymentId: { type: String, default: null },
      schemaId: { type: String, required: true },
      status: { type: Number, required: true },
      total: { type: Number, required: true },
      done: { type: Number, required: true },
      failed: { type: Number, required: true },
      lease: { type: createLeaseSchema(), required: true },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
      progressAt: { type: Date, required: true },
      completedAt: { type: Date, default: null },
    },
    { versionKey: false },
  );
  schema.index({ projectId: 1 });
  schema.index({ projectId: 1, createdAt: 1 });
  schema.index({ projectId: 1, completedAt: 1 });
  schema.index({ status: 1, "lease.until": 1 });
  schema.index({ status: 1, progressAt: 1 });
  return schema;
}

function filesSchema(): mongoose.Schema<FilesDocument> {
  const schema = new mongoose.Schema<FilesDocument>(
    {
      _id: { type: String, required: true },
      jobId: { type: String, required: true },
      fileIds: { type: [String], required: true },
      extractionIds: { type: [String], required: true },
    },
    { versionKey: false },
  );
  schema.index({ jobId: 1 });
  return schema;
}
