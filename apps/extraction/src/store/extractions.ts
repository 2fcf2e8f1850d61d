import mongoose from "mongoose";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Connection } from "mongoose";
import { acquireLease, createLeasedStore, createRunEvents, loadInParts } from "@switchyard/storage";
import { toBytes, toExpiredLeaseFilter } from "@switchyard/storage";
import type { Lease, LeasedStore, RunEvents } from "@switchyard/storage";
import type { Review } from "../domain/review/review.ts";
import { currentVersion, extractionSchema, hasDeployment } from "./extraction-documents.ts";
import { toEnd, toEndFields, toHeldFilter } from "./extraction-documents.ts";
import type { Ending, ExtractedValues, ExtractionDocument, ExtractionRecord, Failure } from "./extraction-documents.ts";
import type { CompletedOutcome, Completion, Outcome, UsedEngine } from "./extraction-documents.ts";
import { toPosition } from "./position.ts";
import type { Transaction } from "./transaction.ts";

export type { CompletedOutcome, Completion, Ending, ExtractedValues, ExtractionRecord, Failure, Outcome, UsedEngine };

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

/** A file and a model of its project. */
export interface LastCompletedQuery {
  projectId: string;
  fileId: string;
  modelId: string;
}

/** Files and a model of their project, and the language model that extracted them. */
export interface EngineQuery {
  projectId: string;
  modelId: string;
  fileIds: readonly string[];
  engine: string;
  modelName: string;
}

/** A query for the completed extractions of files of a project, from a position on. */
export interface CompletedQuery {
  readonly projectId: string;
  readonly fileIds: readonly string[];
  readonly from: string;
}

/** Stores extractions and their leases. */
export interface ExtractionStore extends Omit<LeasedStore<ExtractionRecord>, "acquire" | "release">, RunEvents {
  insert(records: readonly ExtractionRecord[], session: Transaction): Promise<void>;
  /** Stores new extractions that are already completed. */
  insertCompleted(completions: readonly Completion[], session: Transaction): Promise<void>;
  find(id: string, session?: Transaction): Promise<ExtractionRecord | null>;
  /** Returns the values of a completed extraction, as they were given to `finish`; null before that. */
  getTables(id: string, session?: Transaction): Promise<Uint8Array | null>;
  /** Finds the newest completed extraction of a file with a model. */
  findLastCompleted(file: LastCompletedQuery, session: Transaction): Promise<ExtractionRecord | null>;
  /** Finds completed extractions, the newest first. */
  findCompleted(query: CompletedQuery, session: Transaction): Promise<ExtractionRecord[]>;
  /** Finds the completed extractions of files with a model by a language model of an engine, the newest of each file. */
  findByEngine(query: EngineQuery): Promise<ExtractionRecord[]>;
  list(query: ExtractionQuery): Promise<{ record: ExtractionRecord; position: string }[]>;
  getStatuses(ids: readonly string[]): Promise<Map<string, ExtractionStatus>>;
  /** Acquires an extraction whose lease has expired, with the next fence and attempt. Returns null if another runner was faster. */
  acquire(id: string, owner: string, now: Date, until: Date): Promise<ExtractionRecord | null>;
  /** Finds completed extractions of earlier versions, whose review is not known. */
  findUnreviewed(limit: number): Promise<ExtractionRecord[]>;
  /** Sets the review of a completed extraction of an earlier version. */
  setReview(id: string, review: Review | null, session: Transaction): Promise<void>;
  /** Ends an extraction. Returns false, and writes nothing, if the lease is no longer held. */
  finish(ending: Ending): Promise<boolean>;
  /** Ends extractions within a transaction. Returns false if a lease is no longer held; the transaction must then be rolled back. */
  finishAll(endings: readonly Ending[], session: Transaction): Promise<boolean>;
  /** Releases a lease, so that the extraction is attempted again, but not before a time. Does nothing if it is no longer held. */
  release(id: string, lease: Lease, options: { notBefore: Date; counted: boolean }): Promise<void>;
  /** Removes at most `limit` extractions of a project. Returns their number. */
  removeSome(projectId: string, limit: number): Promise<number>;
}

/** The projection for reads without values. */
const withoutTables = { tables: 0 } as const;

/** Creates the store of extractions. */
export function createExtractionStore(connection: Connection): ExtractionStore {
  const extractions = connection.model<ExtractionDocument>("Extraction", extractionSchema(), "extractions");

  return {
    ...createLeasedStore<ExtractionDocument>(extractions, { status: ExtractionStatus.RUNNING }, withoutTables),
    ...createRunEvents(extractions, ExtractionStatus),

    async insert(records, session) {
      await extractions.insertMany(records.map(toDocument), { session, lean: true });
    },

    async insertCompleted(completions, session) {
      const documents = completions.map(({ extraction, outcome, at }) => ({
        ...toDocument(extraction),
        ...toEndFields(outcome, at),
      }));
      await extractions.insertMany(documents, { session, lean: true });
    },

    async find(id, session) {
      return extractions.findById(id, withoutTables, session === undefined ? {} : { session }).lean();
    },

    async getTables(id, session) {
      const found = await extractions.findById(id, null, session === undefined ? {} : { session }).lean();
      return found?.tables === undefined ? null : toBytes(found.tables);
    },

    async findLastCompleted({ projectId, fileId, modelId }, session) {
      return extractions
        .findOne({ projectId, fileId, modelId, status: ExtractionStatus.COMPLETED }, withoutTables, { session })
        .sort({ position: -1 })
        .lean();
    },

    async findCompleted({ projectId, fileIds, from }, session) {
      const some = { fileId: mongoose.trusted({ $in: [...fileIds] }), status: ExtractionStatus.COMPLETED };
      const position = mongoose.trusted({ $gte: from });
      return extractions
        .find({ projectId, ...some, position }, withoutTables, { session })
        .sort({ position: -1 })
        .lean();
    },

    async findByEngine({ projectId, modelId, fileIds, engine, modelName }) {
      const found = await extractions
        .find(
          {
            projectId,
            fileId: mongoose.trusted({ $in: [...fileIds] }),
            modelId,
            status: ExtractionStatus.COMPLETED,
            "engine.name": engine,
            "engine.modelName": modelName,
          },
          withoutTables,
        )
        .sort({ position: 1 })
        .lean();
      return [...new Map(found.map((record) => [record.fileId, record])).values()];
    },

    async findUnreviewed(limit) {
      return extractions
        .find({ status: ExtractionStatus.COMPLETED, valuesVersion: null }, withoutTables)
        .limit(limit)
        .lean();
    },

    async setReview(id, review, session) {
      await extractions.updateOne({ _id: id }, { $set: { review, valuesVersion: currentVersion } }, { session });
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

    // Extractions have an index by position, which begins with the time of creation, and none by that time alone.
    async listCreated(projectId, from, limit) {
      const position = mongoose.trusted({ $gte: toPosition(from, "") });
      const found = await extractions
        .find({ projectId, position }, { createdAt: 1 })
        .sort({ position: 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id, createdAt }) => ({ id: _id, status: "RUNNING", at: createdAt }));
    },

    async getStatuses(ids) {
      const found = await loadInParts(ids, (some) =>
        extractions.find({ _id: mongoose.trusted({ $in: [...some] }) }, { status: 1 }).lean(),
      );
      return new Map(found.map(({ _id, status }) => [_id, status]));
    },

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

    async finish(ending) {
      const { matchedCount } = await extractions.updateOne(...toEnd(ending));
      return matchedCount > 0;
    },

    async finishAll(endings, session) {
      const ends = endings.map(toEnd).map(([filter, update]) => ({ updateOne: { filter, update } }));
      const { matchedCount } = await extractions.bulkWrite(ends, { session });
      return matchedCount === endings.length;
    },

    async release(id, lease, { notBefore, counted }) {
      const free = { $set: { "lease.owner": "", "lease.until": notBefore } };
      await extractions.updateOne(toHeldFilter(id, lease), counted ? free : { ...free, $inc: { attempts: -1 } });
    },

    async removeSome(projectId, limit) {
      const ids = (await extractions.find({ projectId }, { _id: 1 }).limit(limit).lean()).map(({ _id }) => _id);
      if (ids.length > 0) await extractions.deleteMany({ _id: mongoose.trusted({ $in: ids }) });
      return ids.length;
    },
  };
}

function toDocument(record: ExtractionRecord): ExtractionDocument {
  return { ...record, warnings: record.warnings ?? [], position: toPosition(record.createdAt, record._id) };
}
