import { maxIdsPerLoad, splitChunks } from "@switchyard/storage";
import type { DocumentCache } from "@switchyard/storage";
import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { choiceFields } from "../classification-document.ts";
import type { RecordedChoice } from "../../domain/engines/recorded-choice.ts";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";

/** What people said about the documents of a classifier. */
export interface ReviewedDocuments {
  /** Returns the version of the reviews of a classifier, which changes with every review that is made, changed or taken back. Cheap. */
  getVersion(classifierId: string): Promise<string>;
  /** Counts the reviewed documents of a classifier, or those of one route (null: of no route). Reads none of their texts. */
  count(classifierId: string, routeId?: string | null): Promise<number>;
  /** Returns the IDs of the routes that a classifier has reviewed documents of, which may have been deleted since. */
  getRouteIds(classifierId: string): Promise<string[]>;
  /** Lists the last `limit` reviewed documents of a route (null: of no route), at least one, the latest first. Reads a few at a time. */
  listLatest(classifierId: string, routeId: string | null, limit: number): AsyncIterable<LabeledText>;
  /** Lists the choices of language models about the reviewed documents of a classifier, with the correct routes, in batches. */
  listChoices(classifierId: string): AsyncIterable<readonly ReviewedChoices[]>;
  /** Lists the IDs of the reviewed records of a classifier whose file is kept, in batches, in order. */
  listIds(classifierId: string): AsyncIterable<readonly string[]>;
}

/** What language models chose for a document, and the correct route. */
export type ReviewedChoices = Pick<ReviewedDocument, "routeId" | "choices">;

/** A document that a person reviewed, as the classifier learns from it. */
export interface ReviewedDocument {
  /** The ID of the record. */
  id: string;
  classifierId: string;
  /** The correct route; null if the document belongs to no route. */
  routeId: string | null;
  /** The files that contain the document. If one of them is deleted, nothing remains of the document. */
  fileIds: readonly string[];
  /** The part of the text that engines learn from and are asked about. */
  text: string;
  /** The routes that language models chose. Empty if none was asked. */
  choices: readonly RecordedChoice[];
}

/** Stores the documents that were reviewed, and versions of what classifiers learn from. */
export interface ReviewedDocumentStore extends ReviewedDocuments {
  /** Stores a document, in place of an earlier review of the same record. */
  set(document: ReviewedDocument, session: ClientSession): Promise<void>;
  /** Removes the document of a record. Returns false if there was none. */
  remove(recordId: string, session: ClientSession): Promise<boolean>;
  /** Removes the documents that one of the files contains. Returns the IDs of their records. */
  removeFiles(fileIds: readonly string[], session: ClientSession): Promise<string[]>;
  /** Removes the documents of a classifier. */
  removeClassifier(classifierId: string, session: ClientSession): Promise<void>;
}

type StoredDocument = Omit<ReviewedDocument, "id" | "fileIds" | "choices"> & {
  _id: string;
  fileIds: string[];
  /** Absent if there are none. */
  choices?: RecordedChoice[];
};

interface VersionDocument {
  /** The ID of the classifier. */
  _id: string;
  version: number;
}

const batchSize = 100;
/** Texts have up to 8,000 characters. */
const textBatchSize = 20;

/** Creates the store of reviewed documents. `cache` keeps versions, and is cleared with every transaction that may change one. */
export function createReviewedDocumentStore(connection: Connection, cache: DocumentCache): ReviewedDocumentStore {
  const schema = new Schema<StoredDocument>(
    {
      _id: { type: String, required: true },
      classifierId: { type: String, required: true },
      routeId: { type: String, default: null },
      fileIds: [String],
      text: String,
      choices: { type: [choiceFields], default: undefined },
    },
    { versionKey: false },
  );
  schema.index({ classifierId: 1, _id: 1 });
  schema.index({ classifierId: 1, routeId: 1, _id: 1 });
  schema.index({ fileIds: 1 });
  const documents = connection.model<StoredDocument>("ReviewedDocument", schema, "reviewed_documents");
  const version = new Schema<VersionDocument>(
    { _id: { type: String, required: true }, version: { type: Number, required: true } },
    { versionKey: false },
  );
  const versions = connection.model<VersionDocument>("ReviewVersion", version, "review_versions");

  async function* readBatches(
    classifierId: string,
    fields: { readonly [Field in keyof StoredDocument]?: 1 },
  ): AsyncGenerator<StoredDocument[], void> {
    let after = "";
    for (let found = batchSize; found === batchSize;) {
      const batch = await documents
        .find({ classifierId, _id: trusted({ $gt: after }) }, fields)
        .sort({ _id: 1 })
        .limit(batchSize)
        .lean<StoredDocument[]>();
      found = batch.length;
      after = batch.at(-1)?._id ?? after;
      if (found > 0) yield batch;
    }
  }

  async function changeVersion(classifierId: string, session: ClientSession): Promise<void> {
    await versions.updateOne({ _id: classifierId }, { $inc: { version: 1 } }, { upsert: true, session });
  }

  return {
    async set({ id, classifierId, routeId, fileIds, text, choices }, session) {
      const chosen = choices.length === 0 ? {} : { choices: [...choices] };
      const change = { $set: { classifierId, routeId, fileIds: [...fileIds], text, ...chosen } };
      await documents.updateOne({ _id: id }, change, { upsert: true, session });
      await changeVersion(classifierId, session);
    },

    async remove(recordId, session) {
      const removed = await documents.findOneAndDelete({ _id: recordId }, { session }).lean();
      if (removed !== null) await changeVersion(removed.classifierId, session);
      return removed !== null;
    },

    async removeFiles(fileIds, session) {
      const inFiles = { fileIds: trusted({ $in: [...fileIds] }) };
      const found = await documents.find(inFiles, { classifierId: 1 }, { session }).lean();
      if (found.length === 0) return [];
      const ids = found.map(({ _id }) => _id);
      // A file may have been reviewed many times.
      for (const some of splitChunks(ids, maxIdsPerLoad))
        await documents.deleteMany({ _id: trusted({ $in: some }) }, { session });
      for (const classifierId of new Set(found.map((each) => each.classifierId))) {
        await changeVersion(classifierId, session);
      }
      return ids;
    },

    async removeClassifier(classifierId, session) {
      // Conflicts with a review that is stored at the same time, even if it is the first. The review then finds no classifier.
      await changeVersion(classifierId, session);
      await documents.deleteMany({ classifierId }, { session });
      await versions.deleteOne({ _id: classifierId }, { session });
    },

    async getVersion(classifierId) {
      const [found] = await cache.find("review_versions", [classifierId], (ids) =>
        versions.find({ _id: trusted({ $in: [...ids] }) }).lean(),
      );
      return String(found?.version ?? 0);
    },

    count: (classifierId, routeId) =>
      documents.countDocuments(routeId === undefined ? { classifierId } : { classifierId, routeId }),

    async getRouteIds(classifierId) {
      const found: string[] = [];
      for (let after = ""; ;) {
        const next = await documents
          .findOne({ classifierId, routeId: trusted({ $gt: after }) }, { _id: 0, routeId: 1 })
          .sort({ routeId: 1 })
          .lean<{ routeId: string }>();
        if (next === null) return found;
        after = next.routeId;
        found.push(after);
      }
    },

    async *listLatest(classifierId, routeId, limit) {
      const cursor = documents
        .find({ classifierId, routeId }, { text: 1 })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<Pick<StoredDocument, "_id" | "text">[]>()
        .cursor({ batchSize: textBatchSize });
      for await (const { _id, text } of cursor) yield { id: _id, routeId, text };
    },

    async *listChoices(classifierId) {
      for await (const batch of readBatches(classifierId, { routeId: 1, choices: 1 }))
        yield batch.map(({ routeId, choices = [] }) => ({ routeId, choices }));
    },

    async *listIds(classifierId) {
      for await (const batch of readBatches(classifierId, { _id: 1 })) yield batch.map(({ _id }) => _id);
    },
  };
}
