import type { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { loadInParts, splitChunks, readBranches } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { toAcceptedSet, setsWithout } from "./accepted-sets.ts";
import { toPosition } from "./position.ts";
import type { Transaction } from "./transaction.ts";
import { warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** The document of a file. */
export interface FileRecord {
  _id: string;
  organizationId: string;
  /** The project; null for a file that can only be read through its classification. */
  projectId: string | null;
  filename: string;
  /** The content type, detected from the bytes if possible, and otherwise as the sender declared it. */
  contentType: string;
  /** The content type that the sender declared. */
  declaredContentType: string;
  /** The part of the description, besides the bytes, that determines the text; empty if there is none. */
  readingHint: string;
  size: number;
  sha256: string;
  /** The reason why it could not be read, or null. */
  reason: { code: ReadProblem; message: string } | null;
  /** Absent in files of earlier versions. */
  warnings?: StoredWarning[];
  pageCount: number;
  /** Whether no other file of its project had the same bytes when it came. Absent in others, and in files of earlier versions. */
  isFirst?: boolean;
  /** The models for which it is accepted. */
  acceptedFor: string[];
  createdAt: Date;
  createdBy: string;
  /** The end of its retention period; null for a file with a project. */
  expiresAt: Date | null;
}

/** A file of a project. */
export type ProjectFile = FileRecord & { readonly projectId: string };

/** A query for the newest files of a project before a position. */
export interface FileQuery {
  projectId: string;
  organizationId: string;
  /** Only accepted files, or only others. */
  accepted?: boolean | undefined;
  /** The model for which files are accepted; any if it is absent. */
  modelId?: string | undefined;
  limit: number;
  before?: string | undefined;
}

/** Stores files without their bytes. */
export interface FileStore {
  /**
   * Stores files of one organization, and returns them as they are stored. Throws InvalidArgument (QUOTA_EXCEEDED) if it then has more than
   * `quota` bytes; unlimited by default.
   */
  insert(records: readonly FileRecord[], session: Transaction, quota?: number): Promise<readonly FileRecord[]>;
  find(id: string, session?: Transaction): Promise<FileRecord | null>;
  /** Lists a page, newest first. `next` is the start of the next page. If few of very many files match, a page may end before its limit. */
  list(query: FileQuery): Promise<{ records: FileRecord[]; next?: string }>;
  /** Finds at most two files of a project with this name. */
  named(projectId: string, filename: string): Promise<FileRecord[]>;
  /** Finds those of the files that belong to the project. */
  listOfProject(projectId: string, ids: readonly string[]): Promise<FileRecord[]>;
  /**
   * Records, within a transaction, that a file of a project is accepted for a model or no longer is. Returns false if the file was deleted.
   */
  mark(
    file: { id: string; projectId: string },
    modelId: string,
    accepted: boolean,
    session: Transaction,
  ): Promise<boolean>;
  /**
   * Returns files, and changes them within the transaction, so that it conflicts with one that removes one of them at the same time. Leaves
   * out those that were deleted.
   */
  hold(ids: readonly string[], session: Transaction): Promise<FileRecord[]>;
  /** Removes a file within a transaction. Returns null if it was already deleted. */
  remove(id: string, session: Transaction): Promise<FileRecord | null>;
  /** Finds files without a project whose retention period has ended. */
  expired(now: Date, limit: number): Promise<FileRecord[]>;
  /** Removes a file if its retention period has ended, and otherwise returns null. */
  removeExpired(id: string, now: Date, session: Transaction): Promise<FileRecord | null>;
  /** Removes at most `limit` files of a project within a transaction, and returns them. */
  removeSome(
    projectId: string,
    limit: number,
    session: Transaction,
  ): Promise<Pick<FileRecord, "_id" | "organizationId" | "sha256" | "size">[]>;
  /** Whether any file has these bytes. */
  refersTo(sha256: string, session?: Transaction): Promise<boolean>;
}

interface FileDocument extends FileRecord {
  position: string;
  /** The result of `toAcceptedSet` for `acceptedFor`. Absent in files of earlier versions. */
  acceptedSet?: string;
  /** The number of calls of `hold`. */
  holds?: number;
}

/** The project of a page, and the position before which it begins. */
type Page = Pick<FileQuery, "projectId" | "before">;

/** The condition of the index of accepted files, which queries repeat. */
const forAnyModel = { $gt: "" } as const;

/** The maximum number of sets of models in one query, because each set is a separate scan. */
const setsAtOnce = 40;

/** The limits of finding files that are not accepted for a model. */
export interface FileLimits {
  /** The maximum number of sets of models in a project. If there are more, files are examined one by one. */
  readonly maxSets: number;
  /** The maximum number of files that are examined for a page. */
  readonly maxExamined: number;
}

/** Creates the store of files. */
export function createFileStore(
  connection: Connection,
  { maxSets, maxExamined }: FileLimits = { maxSets: 100, maxExamined: 1_000 },
): FileStore {
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
      isFirst: Boolean,
      acceptedFor: { type: [String], default: [] },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
      expiresAt: { type: Date, default: null },
      position: { type: String, required: true },
      acceptedSet: String,
      holds: Number,
    },
    { versionKey: false },
  );
  schema.index({ projectId: 1, position: -1 });
  schema.index({ projectId: 1, acceptedFor: 1, position: -1 });
  schema.index({ projectId: 1, acceptedSet: 1, position: -1 });
  // The key contains the id, because two indexes cannot have the same key.
  schema.index(
    { projectId: 1, position: -1, _id: 1 },
    { name: "accepted", partialFilterExpression: { acceptedFor: forAnyModel } },
  );
  schema.index({ projectId: 1, filename: 1 });
  schema.index({ organizationId: 1 });
  schema.index({ sha256: 1, projectId: 1 });
  schema.index(
    { projectId: 1, sha256: 1 },
    { name: "first", unique: true, partialFilterExpression: { isFirst: true } },
  );
  schema.index({ expiresAt: 1 });
  const files = connection.model<FileDocument>("File", schema, "files");

  const read = ({ projectId, before }: Page, filter: object, count: number): Promise<FileDocument[]> =>
    files
      .find({ projectId, ...filter, ...(before === undefined ? {} : { position: mongoose.trusted({ $lt: before }) }) })
      .sort({ position: -1 })
      .limit(count)
      .lean<FileDocument[]>();

  /** Reads files that are not accepted for a model. `examinedTo` is the position at which to continue if there may be more. */
  async function readUnaccepted(page: Page, modelId: string, count: number) {
    const sets = await setsWithout(modelId, maxSets, async (after) => {
      const later = after === undefined ? {} : { acceptedSet: mongoose.trusted({ $gt: after }) };
      const filter = { projectId: page.projectId, ...later };
      return files.findOne(filter, { acceptedSet: 1 }).sort({ acceptedSet: 1 }).lean();
    });
    if (sets === undefined) {
      const examined = await read(page, {}, maxExamined);
      const examinedTo = examined.length === maxExamined ? examined.at(-1)?.position : undefined;
      return { found: examined.filter(({ acceptedFor }) => !acceptedFor.includes(modelId)), examinedTo };
    }
    const found = await readBranches(
      splitChunks(sets, setsAtOnce),
      (some) => read(page, { acceptedSet: mongoose.trusted({ $in: some }) }, count),
      (left, right) => (left.position < right.position ? 1 : -1),
      count,
    );
    return { found, examinedTo: undefined };
  }

  return {
    async insert(records, session) {
      await files.insertMany(records.map(toDocument), { session, lean: true });
      return records;
    },

    async find(id, session) {
      return files.findById(id, null, session === undefined ? {} : { session }).lean();
    },

    async list({ organizationId, accepted, modelId, limit, ...page }) {
      const { found, examinedTo } =
        accepted === false && modelId !== undefined
          ? await readUnaccepted(page, modelId, limit + 1)
          : { found: await read(page, acceptedFilter(accepted, modelId), limit + 1) };
      const matching = found.filter((each) => each.organizationId === organizationId);
      const records = matching.slice(0, limit);
      const next = matching.length > limit ? records.at(-1)?.position : examinedTo;
      return { records, ...(next === undefined ? {} : { next }) };
    },

    async named(projectId, filename) {
      return files.find({ projectId, filename }).limit(2).lean();
    },

    async listOfProject(projectId, ids) {
      return loadInParts(ids, (some) => files.find({ _id: mongoose.trusted({ $in: [...some] }), projectId }).lean());
    },

    async mark({ id, projectId }, modelId, accepted, session) {
      const found = await files.findOne({ _id: id, projectId }, { acceptedFor: 1 }, { session }).lean();
      if (found === null) return false;
      const others = found.acceptedFor.filter((each) => each !== modelId);
      const acceptedFor = accepted ? [...others, modelId] : others;
      const change = { acceptedFor, acceptedSet: toAcceptedSet(acceptedFor) };
      await files.updateOne({ _id: id }, { $set: change }, { session });
      return true;
    },

    async hold(ids, session) {
      const held = { _id: mongoose.trusted({ $in: [...ids] }) };
      const change = { $inc: { holds: 1 } };
      // Nearly always it is one file, which takes one command.
      if (ids.length === 1) {
        const file = await files.findOneAndUpdate(held, change, { session }).lean();
        return file === null ? [] : [file];
      }
      await files.updateMany(held, change, { session });
      return files.find(held, null, { session }).lean();
    },

    async remove(id, session) {
      return files.findOneAndDelete({ _id: id }, { session }).lean();
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
      return files.findOneAndDelete(overdue, { session }).lean();
    },

    async removeSome(projectId, limit, session) {
      const fields = { organizationId: 1, sha256: 1, size: 1 };
      const found = await files.find({ projectId }, fields, { session }).limit(limit).lean();
      const ids = found.map(({ _id }) => _id);
      if (ids.length > 0) await files.deleteMany({ _id: mongoose.trusted({ $in: ids }) }, { session });
      return found;
    },

    async refersTo(sha256, session) {
      const found = files.findOne({ sha256 }, { _id: 1 }, session === undefined ? {} : { session });
      return (await found.lean()) !== null;
    },
  };
}

function toDocument(record: FileRecord): FileDocument {
  const { warnings = [], createdAt, _id, acceptedFor } = record;
  return { ...record, warnings, position: toPosition(createdAt, _id), acceptedSet: toAcceptedSet(acceptedFor) };
}

/** Whether a file belongs to a project. Others can only be read through their classifications, and have no values. */
export function isInProject(file: FileRecord): file is ProjectFile {
  return file.projectId !== null;
}

/** Returns the filter of files that are accepted for a model or for any, or of those that are not; all files if `accepted` is undefined. */
function acceptedFilter(accepted: boolean | undefined, modelId?: string): object {
  if (accepted === undefined) return {};
  if (accepted) return { acceptedFor: modelId ?? mongoose.trusted({ ...forAnyModel }) };
  return { acceptedSet: mongoose.trusted({ $in: ["", null] }), acceptedFor: [] };
}
