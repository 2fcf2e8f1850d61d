import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { FileSchema, FileStatus, ReadReasonSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { File, ReadReason, ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { positionOf } from "./position.ts";
import type { Transaction } from "./transaction.ts";
import { warningMessages, warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** A stored file, as its document. */
export interface FileRecord {
  _id: string;
  organizationId: string;
  /** Null for a file that is readable through its classification only. */
  projectId: string | null;
  filename: string;
  /** What it is, by its bytes where they tell, else as the sender said. */
  contentType: string;
  /** What the sender said it is. */
  declaredContentType: string;
  /** What else than the bytes decides what is read from them; empty where nothing does. */
  readingHint: string;
  size: number;
  sha256: string;
  /** Null when it was read. */
  reason: { code: ReadProblem; message: string } | null;
  /** Absent in files that were stored before there were any. */
  warnings?: StoredWarning[];
  pageCount: number;
  /** The models that it is accepted for. */
  acceptedFor: string[];
  createdAt: Date;
  createdBy: string;
  /** When it is removed; null for a file with a project. */
  expiresAt: Date | null;
}

/** Which files of a project are wanted: the newest before a position. */
export interface FileQuery {
  projectId: string;
  organizationId: string;
  /** Only those that are accepted, or are not. */
  accepted?: boolean | undefined;
  /** The model that "accepted" is about; any when absent. */
  modelId?: string | undefined;
  limit: number;
  before?: string | undefined;
}

/** Files, without their bytes. */
export interface FileStore {
  insert(record: FileRecord, session: Transaction): Promise<void>;
  find(id: string, session?: Transaction): Promise<FileRecord | null>;
  /** A page, newest first; `next` begins the next one. Where few of very many match, a page may end before its limit. */
  list(query: FileQuery): Promise<{ records: FileRecord[]; next?: string }>;
  /** Files of a project with this name, at most two. */
  named(projectId: string, filename: string): Promise<FileRecord[]>;
  /** Those of these files that belong to the project. */
  ofProject(projectId: string, ids: readonly string[]): Promise<FileRecord[]>;
  /** Within a transaction: notes that a file of a project is accepted for a model, or no longer. False when it is gone. */
  mark(
    file: { id: string; projectId: string },
    modelId: string,
    accepted: boolean,
    session: Transaction,
  ): Promise<boolean>;
  /** Within a transaction: removes a file. Null when it was gone. */
  remove(id: string, session: Transaction): Promise<FileRecord | null>;
  /** Gives a file that has no project to one. False when it has one, or does not exist. */
  adopt(id: string, projectId: string, session: Transaction): Promise<boolean>;
  /** Files without a project whose time is over. */
  expired(now: Date, limit: number): Promise<FileRecord[]>;
  /** Removes a file if its time is still over. */
  removeExpired(id: string, now: Date, session: Transaction): Promise<boolean>;
  /** Within a transaction: removes some files of a project, at most `limit`; answers the hashes of their bytes, none when there are none. */
  removeSome(projectId: string, limit: number, session: Transaction): Promise<string[]>;
  /** Whether any file has these bytes. */
  refersTo(sha256: string, session?: Transaction): Promise<boolean>;
}

type FileDocument = FileRecord & { position: string };

/** How many files are looked at for a page of those that are not accepted for a model. */
const mostSifted = 1_000;

/** Creates the store of files. */
export function createFileStore(connection: Connection): FileStore {
  const schema = new mongoose.Schema<FileDocument>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      projectId: { type: String, default: null },
      filename: { type: String, required: true },
      contentType: { type: String, required: true },
      declaredContentType: { type: String, default: "" },
      readingHint: { type: String, default: "" },
      size: { type: Number, required: true },
      sha256: { type: String, required: true },
      reason: { type: new mongoose.Schema({ code: Number, message: String }, { _id: false }), default: null },
      warnings: warningsField(),
      pageCount: { type: Number, required: true },
      acceptedFor: { type: [String], default: [] },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
      expiresAt: { type: Date, default: null },
      position: { type: String, required: true },
    },
    { versionKey: false },
  );
  schema.index({ projectId: 1, position: -1 });
  schema.index({ projectId: 1, acceptedFor: 1, position: -1 });
  // Lists of the accepted ones and of all others, whose keys differ because no two indexes may have one key.
  schema.index(
    { projectId: 1, position: -1, _id: 1 },
    { name: "accepted", partialFilterExpression: acceptedFilter(true) },
  );
  schema.index(
    { projectId: 1, position: -1, sha256: 1 },
    { name: "others", partialFilterExpression: acceptedFilter(false) },
  );
  schema.index({ projectId: 1, filename: 1 });
  schema.index({ sha256: 1 });
  schema.index({ expiresAt: 1 });
  const files = connection.model<FileDocument>("File", schema, "files");

  return {
    async insert(record, session) {
      await files.create([{ ...record, position: positionOf(record.createdAt, record._id) }], { session });
    },

    async find(id, session) {
      return files.findById(id, null, session === undefined ? {} : { session }).lean();
    },

    async list({ projectId, organizationId, accepted, modelId, limit, before }) {
      const read = (filter: object, count: number): Promise<FileDocument[]> =>
        files
          .find({
            projectId,
            ...filter,
            ...(before === undefined ? {} : { position: mongoose.trusted({ $lt: before }) }),
          })
          .sort({ position: -1 })
          .limit(count)
          .lean<FileDocument[]>();
      // No index tells what is not accepted for one of many models: so many are looked at for a page, and no more.
      const sifted = accepted === false && modelId !== undefined;
      const found = sifted
        ? await read({}, mostSifted)
        : await read(accepted === undefined ? {} : acceptedFilter(accepted, modelId), limit + 1);
      const matching = found.filter(
        (each) => each.organizationId === organizationId && !(sifted && each.acceptedFor.includes(modelId)),
      );
      const records = matching.slice(0, limit);
      const last =
        matching.length > limit ? records.at(-1) : sifted && found.length === mostSifted ? found.at(-1) : undefined;
      return { records, ...(last === undefined ? {} : { next: last.position }) };
    },

    async named(projectId, filename) {
      return files.find({ projectId, filename }).limit(2).lean();
    },

    async ofProject(projectId, ids) {
      return files.find({ _id: mongoose.trusted({ $in: [...ids] }), projectId }).lean();
    },

    async mark({ id, projectId }, modelId, accepted, session) {
      const change = accepted ? { $addToSet: { acceptedFor: modelId } } : { $pull: { acceptedFor: modelId } };
      return (await files.findOneAndUpdate({ _id: id, projectId }, change, { session }).lean()) !== null;
    },

    async remove(id, session) {
      return files.findOneAndDelete({ _id: id }, { session }).lean();
    },

    async adopt(id, projectId, session) {
      const adopted = await files
        .findOneAndUpdate({ _id: id, projectId: null }, { $set: { projectId, expiresAt: null } }, { session })
        .lean();
      return adopted !== null;
    },

    async expired(now, limit) {
      return files
        .find({ projectId: null, expiresAt: mongoose.trusted({ $lt: now }) })
        .sort({ expiresAt: 1 })
        .limit(limit)
        .lean();
    },

    async removeExpired(id, now, session) {
      const overdue = { _id: id, projectId: null, expiresAt: mongoose.trusted({ $lt: now }) };
      const removed = await files.deleteOne(overdue, { session });
      return removed.deletedCount > 0;
    },

    async removeSome(projectId, limit, session) {
      const found = await files.find({ projectId }, { sha256: 1 }, { session }).limit(limit).lean();
      const ids = found.map(({ _id }) => _id);
      if (ids.length > 0) await files.deleteMany({ _id: mongoose.trusted({ $in: ids }) }, { session });
      return [...new Set(found.map(({ sha256 }) => sha256))];
    },

    async refersTo(sha256, session) {
      const found = files.findOne({ sha256 }, { _id: 1 }, session === undefined ? {} : { session });
      return (await found.lean()) !== null;
    },
  };
}

/** Accepted for a model, or for any; or for none. */
function acceptedFilter(accepted: boolean, modelId?: string) {
  if (!accepted) return { acceptedFor: [] };
  return { acceptedFor: modelId ?? mongoose.trusted({ $gt: "" }) };
}

/** The message of a file. */
export function fileMessage(record: FileRecord): File {
  const reason = reasonMessage(record.reason);
  return create(FileSchema, {
    id: record._id,
    ...(record.projectId === null ? {} : { projectId: record.projectId }),
    filename: record.filename,
    contentType: record.contentType,
    size: record.size,
    sha256: record.sha256,
    pageCount: record.pageCount,
    status: reason === undefined ? FileStatus.READ : FileStatus.UNREADABLE,
    ...(reason === undefined ? {} : { reason }),
    accepted: record.acceptedFor.length > 0,
    createdAt: timestampFromDate(record.createdAt),
    createdBy: record.createdBy,
    warnings: warningMessages(record.warnings),
  });
}

/** The message of the reason why a file could not be read; undefined when it was. */
export function reasonMessage(reason: { code: ReadProblem; message: string } | null): ReadReason | undefined {
  if (reason === null) return undefined;
  return create(ReadReasonSchema, { code: reason.code, message: reason.message });
}
