import mongoose from "mongoose";
import type { FailureReason } from "@switchyard/contracts/reasons";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Connection } from "mongoose";
import {
  toBytes,
  getCombinations,
  renewLease,
  releaseLease,
  toHeldLeaseFilter,
  toFutureLeaseFilter,
} from "@switchyard/storage";
import {
  toForeignLeaseFilter,
  toExpiredLeaseFilter,
  createLeaseSchema,
  acquireLease,
  watchFreeLeases,
} from "@switchyard/storage";
import type { ChangeStream, Lease } from "@switchyard/storage";
import { toPosition } from "./position.ts";
import type { Transaction } from "./transaction.ts";
import { warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** The reason why an extraction failed. */
export interface Failure {
  code: FailureReason;
  message: string;
}

/** The document of an extraction without its values. */
export interface ExtractionRecord {
  _id: string;
  fileId: string;
  projectId: string;
  organizationId: string;
  modelId: string;
  deploymentId: string | null;
  schemaId: string;
  status: ExtractionStatus;
  error: Failure | null;
  /** The warnings of reading the file. Absent in extractions of earlier versions. */
  warnings?: StoredWarning[];
  lease: Lease;
  /** The number of attempts. */
  attempts: number;
  createdAt: Date;
  createdBy: string;
  completedAt: Date | null;
}

/** A query for the newest extractions of a project before a position. */
export interface ExtractionQuery {
  projectId: string;
  organizationId: string;
  fileId?: string | undefined;
  modelId?: string | undefined;
  deploymentId?: string | undefined;
  status?: ExtractionStatus | undefined;
  limit: number;
  before?: string | undefined;
}

/** The result of an extraction. */
export type Outcome = { tables: Uint8Array } | { error: Failure };

/** Stores extractions and their leases. */
export interface ExtractionStore {
  insert(record: ExtractionRecord, session: Transaction): Promise<void>;
  find(id: string, session?: Transaction): Promise<ExtractionRecord | null>;
  /** Returns the values of a completed extraction, as they were given to `finish`; null before that. */
  getTables(id: string): Promise<Uint8Array | null>;
  list(query: ExtractionQuery): Promise<{ record: ExtractionRecord; position: string }[]>;
  getStatuses(ids: readonly string[]): Promise<Map<string, ExtractionStatus>>;
  /** Finds running extractions whose lease has expired, the longest expired first. */
  due(now: Date, limit: number): Promise<ExtractionRecord[]>;
  /** Returns when the first lease of a running extraction ends or has ended; undefined if none is running. */
  getNextLeaseEnd(): Promise<Date | undefined>;
  /** Opens a change stream that reports running extractions whose lease nobody holds. */
  watchFree(): ChangeStream;
  /** Acquires an extraction whose lease has expired, with the next fence and attempt. Returns null if another runner was faster. */
  acquire(id: string, owner: string, now: Date, until: Date): Promise<ExtractionRecord | null>;
  /** Renews the leases of an owner. */
  renewLeases(ids: readonly string[], owner: string, now: Date, until: Date): Promise<void>;
  /** Releases the leases of all other owners. The caller must know that they have ended. */
  releaseOthers(owner: string): Promise<void>;
  /** Releases leases that were acquired in the future, before the clock was set back. */
  releaseFuture(now: Date): Promise<void>;
  /** Completes an extraction. Returns false, and writes nothing, if the lease is no longer held. */
  finish(id: string, lease: Lease, outcome: Outcome, now: Date): Promise<boolean>;
  /** Releases a lease, so that the extraction is attempted again, but not before a time. Returns false if it is no longer held. */
  release(id: string, lease: Lease, options: { notBefore: Date; counted: boolean }): Promise<boolean>;
  /** Removes at most `limit` extractions of a project. Returns their number. */
  removeSome(projectId: string, limit: number): Promise<number>;
}

type ExtractionDocument = ExtractionRecord & { position: string; tables?: Buffer | undefined };

/**
 * The fields by which lists can be filtered. Each combination has its own index in the order of the list, so that a list reads only what it
 * returns, even if many extractions match one of its filters.
 */
const listFields = getCombinations<keyof ExtractionRecord>(
  [[], ["fileId"]],
  [[], ["modelId"], ["deploymentId"]],
  [[], ["status"]],
);

/** The condition of the indexes of extractions by deployment, which their queries repeat. */
const hasDeployment = { deploymentId: { $gt: "" } };

/** The projection for reads without values. */
const withoutTables = { tables: 0 } as const;

/** Creates the store of extractions. */
export function createExtractionStore(connection: Connection): ExtractionStore {
  const extractions = connection.model<ExtractionDocument>("Extraction", extractionSchema(), "extractions");
  const held = (id: string, lease: Lease) => ({
    _id: id,
    status: ExtractionStatus.RUNNING,
    ...toHeldLeaseFilter(lease),
  });

  return {
    async insert(record, session) {
      const { warnings = [] } = record;
      const document = { ...record, warnings, position: toPosition(record.createdAt, record._id) };
      await extractions.insertMany([document], { session, lean: true });
    },

    async find(id, session) {
      return extractions.findById(id, withoutTables, session === undefined ? {} : { session }).lean();
    },

    async getTables(id) {
      const found = await extractions.findById(id).lean();
      return found?.tables === undefined ? null : toBytes(found.tables);
    },

    async list({ projectId, organizationId, fileId, modelId, deploymentId, status, limit, before }) {
      const found = await extractions
        .find(
          {
            projectId,
            organizationId,
            ...(fileId === undefined ? {} : { fileId }),
            ...(modelId === undefined ? {} : { modelId }),
            ...(deploymentId === undefined
              ? {}
              : { deploymentId: mongoose.trusted({ $eq: deploymentId, ...hasDeployment.deploymentId }) }),
            ...(status === undefined ? {} : { status }),
            ...(before === undefined ? {} : { position: mongoose.trusted({ $lt: before }) }),
          },
          withoutTables,
        )
        .sort({ position: -1 })
        .limit(limit)
        .lean();
      return found.map((record) => ({ record, position: record.position }));
    },

    async getStatuses(ids) {
      const found = await extractions.find({ _id: mongoose.trusted({ $in: [...ids] }) }, withoutTables).lean();
      return new Map(found.map((record) => [record._id, record.status]));
    },

    async due(now, limit) {
      return extractions
        .find({ status: ExtractionStatus.RUNNING, ...toExpiredLeaseFilter(now) }, withoutTables)
        .sort({ "lease.until": 1 })
        .limit(limit)
        .lean();
    },

    async getNextLeaseEnd() {
      const first = await extractions
        .findOne({ status: ExtractionStatus.RUNNING }, { lease: 1 })
        .sort({ "lease.until": 1 })
        .lean();
      return first?.lease.until;
    },

    watchFree: () => watchFreeLeases(extractions.collection),

    async acquire(id, owner, now, until) {
      const { $set, $inc } = acquireLease(owner, now, until);
      return extractions
        .findOneAndUpdate(
          { _id: id, status: ExtractionStatus.RUNNING, ...toExpiredLeaseFilter(now) },
          { $set, $inc: { ...$inc, attempts: 1 } },
          { returnDocument: "after" },
        )
        .lean();
    },

    async renewLeases(ids, owner, now, until) {
      await extractions.updateMany(
        { _id: mongoose.trusted({ $in: [...ids] }), status: ExtractionStatus.RUNNING, "lease.owner": owner },
        renewLease(now, until),
      );
    },

    async releaseOthers(owner) {
      await extractions.updateMany(
        { status: ExtractionStatus.RUNNING, ...toForeignLeaseFilter(owner) },
        releaseLease(),
      );
    },

    async releaseFuture(now) {
      await extractions.updateMany({ status: ExtractionStatus.RUNNING, ...toFutureLeaseFilter(now) }, releaseLease());
    },

    async finish(id, lease, outcome, now) {
      const end =
        "error" in outcome
          ? { status: ExtractionStatus.FAILED, error: outcome.error }
          : { status: ExtractionStatus.COMPLETED, tables: Buffer.from(outcome.tables) };
      const { matchedCount } = await extractions.updateOne(held(id, lease), { $set: { ...end, completedAt: now } });
      return matchedCount > 0;
    },

    async release(id, lease, { notBefore, counted }) {
      const free = { $set: { "lease.owner": "", "lease.until": notBefore } };
      const released = await extractions
        .findOneAndUpdate(held(id, lease), counted ? free : { ...free, $inc: { attempts: -1 } })
        .lean();
      return released !== null;
    },

    async removeSome(projectId, limit) {
      const ids = (await extractions.find({ projectId }, { _id: 1 }).limit(limit).lean()).map(({ _id }) => _id);
      if (ids.length > 0) await extractions.deleteMany({ _id: mongoose.trusted({ $in: ids }) });
      return ids.length;
    },
  };
}

function extractionSchema(): mongoose.Schema<ExtractionDocument> {
  const schema = new mongoose.Schema<ExtractionDocument>(
    {
      _id: { type: String, required: true },
      fileId: { type: String, required: true },
      projectId: { type: String, required: true },
      organizationId: { type: String, required: true },
      modelId: { type: String, required: true },
      deploymentId: { type: String, default: null },
      schemaId: { type: String, required: true },
      status: { type: Number, required: true },
      error: { type: new mongoose.Schema({ code: String, message: String }, { _id: false }), default: null },
      warnings: warningsField(),
      lease: { type: createLeaseSchema(), required: true },
      attempts: { type: Number, required: true },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
      completedAt: { type: Date, default: null },
      position: { type: String, required: true },
      tables: { type: Buffer },
    },
    { versionKey: false },
  );
  for (const fields of listFields) {
    const key = Object.fromEntries(["projectId", ...fields].map((field) => [field, 1 as const]));
    const partial = fields.includes("deploymentId") ? { partialFilterExpression: hasDeployment } : {};
    schema.index({ ...key, position: -1 }, partial);
  }
  schema.index({ status: 1, "lease.until": 1 });
  return schema;
}
