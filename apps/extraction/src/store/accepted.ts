import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { loadInParts, toBytes, removeInBatches } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { createHash } from "node:crypto";
import type { Transaction } from "./transaction.ts";

/** A file that is accepted for a model, with the current revision of its values. */
export interface AcceptedRecord {
  fileId: string;
  modelId: string;
  projectId: string;
  /** The SHA-256 of the values. */
  revision: string;
  updatedAt: Date;
  updatedBy: string;
}

type AcceptedDocument = AcceptedRecord & {
  _id: string;
  /** The version of the current values that were derived from these. Absent in documents of earlier versions. */
  valuesVersion?: number;
};

interface RevisionDocument {
  /** The file, the model and the hash. */
  _id: string;
  fileId: string;
  projectId: string;
  tables: Buffer;
  createdAt: Date;
  createdBy: string;
}

/** The version of current values. */
const valuesVersion = 1;

/** Stores accepted values. Every revision is kept under the hash of its values until its file is deleted. */
export interface AcceptedStore {
  /**
   * Sets the values, within the transaction that marks the file. Returns the previous values if they differ, or null if there were none.
   */
  set(
    record: Omit<AcceptedRecord, "revision">,
    tables: AcceptedTable[],
    session: Transaction,
  ): Promise<AcceptedTable[] | null | "the same">;
  /** Returns the current revision of the values. */
  find(fileId: string, modelId: string, session?: Transaction): Promise<AcceptedTable[] | null>;
  /** Finds accepted files of earlier versions, from whose values no current values were derived. */
  findUnlisted(limit: number): Promise<AcceptedRecord[]>;
  /** Records that current values were derived from those of a file. */
  markListed(fileId: string, modelId: string, session: Transaction): Promise<void>;
  revision(fileId: string, modelId: string, revision: string): Promise<AcceptedTable[] | null>;
  /**
   * Removes the values, within the transaction that unmarks the file. Revisions are kept. Returns the previous values, or null if there
   * were none.
   */
  remove(fileId: string, modelId: string, session: Transaction): Promise<AcceptedTable[] | null>;
  /** Removes the values of a file and all their revisions, within the transaction that removes the file. */
  removeFile(fileId: string, session: Transaction): Promise<void>;
  /** Removes all values of a project whose files are deleted, with their revisions. */
  removeProject(projectId: string): Promise<void>;
  /** Lists the files of a model that were accepted last, in no particular order among those of one moment. */
  newest(query: { projectId: string; modelId: string; limit: number }): Promise<AcceptedRecord[]>;
  /** Lists the files that are accepted for a model of a project by file id, optionally only those of `fileIds`. */
  list(query: {
    projectId: string;
    modelId: string;
    fileIds: readonly string[];
    limit: number;
  }): Promise<AcceptedRecord[]>;
}

/** Creates the store of accepted values. */
export function createAcceptedStore(connection: Connection): AcceptedStore {
  const schema = new mongoose.Schema<AcceptedDocument>(
    {
      _id: { type: String, required: true },
      fileId: { type: String, required: true },
      modelId: { type: String, required: true },
      projectId: { type: String, required: true },
      revision: { type: String, required: true },
      updatedAt: { type: Date, required: true },
      updatedBy: { type: String, default: "" },
      valuesVersion: Number,
    },
    { versionKey: false },
  );
  schema.index({ projectId: 1, modelId: 1, fileId: 1 });
  schema.index({ valuesVersion: 1 });
  schema.index({ projectId: 1, modelId: 1, updatedAt: -1, fileId: 1 });
  schema.index({ fileId: 1 });
  const accepted = connection.model<AcceptedDocument>("Accepted", schema, "accepted");
  const revisions = connection.model<RevisionDocument>("AcceptedRevision", revisionSchema(), "accepted_revisions");
  const read = async (id: string, session?: Transaction): Promise<AcceptedTable[] | null> => {
    const found = await revisions.findById(id, null, session === undefined ? {} : { session }).lean();
    return found === null ? null : fromBinary(AcceptedValuesSchema, toBytes(found.tables)).tables;
  };

  return {
    async set({ fileId, modelId, projectId, updatedAt, updatedBy }, tables, session) {
      const bytes = toTableBytes(tables);
      const revision = createHash("sha256").update(bytes).digest("hex");
      const options = { session, upsert: true };
      await revisions.updateOne(
        { _id: key(fileId, modelId, revision) },
        {
          $setOnInsert: {
            fileId,
            projectId,
            tables: Buffer.from(bytes),
            createdAt: updatedAt,
            createdBy: updatedBy,
          },
        },
        options,
      );
      const record: AcceptedRecord = { fileId, modelId, projectId, revision, updatedAt, updatedBy };
      const before = await accepted
        .findOneAndUpdate({ _id: key(fileId, modelId) }, { $set: { ...record, valuesVersion } }, options)
        .lean();
      if (before === null) return null;
      return before.revision === revision ? "the same" : read(key(fileId, modelId, before.revision), session);
    },

    async find(fileId, modelId, session) {
      const options = session === undefined ? {} : { session };
      const found = await accepted.findById(key(fileId, modelId), null, options).lean();
      return found === null ? null : read(key(fileId, modelId, found.revision), session);
    },

    async findUnlisted(limit) {
      return accepted.find({ valuesVersion: null }).limit(limit).lean();
    },

    async markListed(fileId, modelId, session) {
      await accepted.updateOne({ _id: key(fileId, modelId) }, { $set: { valuesVersion } }, { session });
    },

    revision: (fileId, modelId, revision) => read(key(fileId, modelId, revision)),

    async remove(fileId, modelId, session) {
      const removed = await accepted.findOneAndDelete({ _id: key(fileId, modelId) }, { session }).lean();
      return removed === null ? null : read(key(fileId, modelId, removed.revision), session);
    },

    async removeFile(fileId, session) {
      await accepted.deleteMany({ fileId }, { session });
      await revisions.deleteMany({ fileId }, { session });
    },

    async removeProject(projectId) {
      await removeInBatches(accepted, { projectId });
      await removeInBatches(revisions, { projectId });
    },

    async newest({ projectId, modelId, limit }) {
      return accepted.find({ projectId, modelId }).sort({ updatedAt: -1, fileId: 1 }).limit(limit).lean();
    },

    async list({ projectId, modelId, fileIds, limit }) {
      const find = (named: object): Promise<AcceptedDocument[]> =>
        accepted
          .find({ projectId, modelId, ...named })
          .sort({ fileId: 1 })
          .limit(limit)
          .lean<AcceptedDocument[]>();
      if (fileIds.length === 0) return find({});
      // In order, so that the parts are, too.
      const inOrder = [...new Set(fileIds)].sort();
      const found = await loadInParts(inOrder, (some) => find({ fileId: mongoose.trusted({ $in: [...some] }) }));
      return found.slice(0, limit);
    },
  };
}

function revisionSchema(): mongoose.Schema<RevisionDocument> {
  const schema = new mongoose.Schema<RevisionDocument>(
    {
      _id: { type: String, required: true },
      fileId: { type: String, required: true },
      projectId: { type: String, required: true },
      tables: { type: Buffer, required: true },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
    },
    { versionKey: false },
  );
  schema.index({ fileId: 1 });
  schema.index({ projectId: 1 });
  return schema;
}

/** Joins ids to a key. Ids contain no spaces. */
function key(...parts: readonly string[]): string {
  return parts.join(" ");
}

/** Serializes tables. The result does not depend on the order of the columns in a row. */
function toTableBytes(tables: readonly AcceptedTable[]): Uint8Array {
  const sorted = tables.map(({ slug, rows }) => ({
    slug,
    rows: rows.map(({ values }) => ({
      values: Object.fromEntries(Object.entries(values).sort(([left], [right]) => (left < right ? -1 : 1))),
    })),
  }));
  return toBinary(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables: sorted }));
}
