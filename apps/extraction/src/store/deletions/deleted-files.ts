import type { DocumentCache } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import type { FileStore } from "../files.ts";
import type { Transaction } from "../transaction.ts";

/** The deleted files from which the classifier may have learned something that it has not removed yet. */
export interface DeletedFiles {
  /** Adds files in the transaction that deletes them. */
  add(fileIds: readonly string[], session: Transaction): Promise<void>;
  /** Lists at most `limit` files. */
  list(limit: number): Promise<string[]>;
  /** Removes files from the list. */
  acknowledge(fileIds: readonly string[]): Promise<void>;
}

interface DeletedFile {
  fileId: string;
}

/**
 * Creates the list of deleted files in a database. `cache` is cleared with every transaction of the service. Calls `onAdded` when a
 * transaction that adds files has ended.
 */
export function createDeletedFiles(
  connection: Connection,
  cache: DocumentCache,
  onAdded: () => void = () => undefined,
): DeletedFiles {
  // A file can be listed twice, because a routed document gets a file with the same ID again if its placement is repeated.
  const schema = new mongoose.Schema<DeletedFile>({ fileId: { type: String, required: true } }, { versionKey: false });
  schema.index({ fileId: 1 });
  const deleted = connection.model<DeletedFile>("DeletedFile", schema, "deleted_files");
  return {
    async add(fileIds, session) {
      if (fileIds.length === 0) return;
      const added = fileIds.map((fileId) => ({ fileId }));
      await deleted.insertMany(added, { session });
      if (!session.listeners("ended").includes(onAdded)) session.once("ended", onAdded);
    },

    async list(limit) {
      const found = await cache.list("deleted_files", { limit }, () =>
        deleted.find({}, { fileId: 1 }).limit(limit).lean<(DeletedFile & { _id: string })[]>(),
      );
      return [...new Set(found.map(({ fileId }) => fileId))];
    },

    async acknowledge(fileIds) {
      if (fileIds.length === 0) return;
      await deleted.deleteMany({ fileId: mongoose.trusted({ $in: [...fileIds] }) });
      await cache.clear();
    },
  };
}

/** Adds every file that is removed from `store` to the list of deleted files, in the same transaction. */
export function withDeletedFiles(store: FileStore, deletedFiles: Pick<DeletedFiles, "add">): FileStore {
  async function note<Removed extends { _id: string } | null>(
    removed: Removed,
    session: Transaction,
  ): Promise<Removed> {
    if (removed !== null) await deletedFiles.add([removed._id], session);
    return removed;
  }
  return {
    ...store,
    remove: async (id, session) => note(await store.remove(id, session), session),
    removeExpired: async (id, now, session) => note(await store.removeExpired(id, now, session), session),
    async removeSome(projectId, limit, session) {
      const removed = await store.removeSome(projectId, limit, session);
      const ids = removed.map(({ _id }) => _id);
      await deletedFiles.add(ids, session);
      return removed;
    },
  };
}
