import { WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { isDuplicateKey } from "@switchyard/storage";
import mongoose from "mongoose";
import { LRUCache } from "lru-cache";
import type { Connection } from "mongoose";
import { isInProject } from "./files.ts";
import type { FileRecord, FileStore } from "./files.ts";
import type { Transaction } from "./transaction.ts";
import type { StoredWarning } from "./warnings.ts";

const warning: StoredWarning = {
  code: WarningCode.DUPLICATE_FILE,
  message: "The project already had a file with the same bytes.",
};

/** The store of files, which can also be moved to projects. */
export interface ProjectFileStore extends FileStore {
  /** Moves those of the files that have no project to a project. */
  adopt(ids: readonly string[], projectId: string, session: Transaction): Promise<AdoptedFiles>;
  /** Returns a file without a project that was stored here in the last few seconds and not moved here since then. */
  findRecent(id: string): FileRecord | undefined;
  /** Whether a project has a file with these bytes. */
  hasBytes(projectId: string, sha256: string): Promise<boolean>;
  /**
   * Moves a file without a project to a project, like `adopt`, but reads nothing and needs no transaction: the file was found before.
   * Throws an error for `retryDuplicates` if that is outdated.
   */
  adoptFound(found: FoundFile, projectId: string, session?: Transaction): Promise<FileRecord>;
}

/** A file without a project, and whether the project that it is to be moved to has a file with the same bytes. */
export interface FoundFile {
  readonly file: FileRecord;
  readonly isDuplicate: boolean;
}

/** Files that were to be moved to a project. Those that do not exist are left out. */
export interface AdoptedFiles {
  /** The files that were moved, as they are since then. */
  readonly arrived: readonly FileRecord[];
  /** The files that already had a project, this one or another. They are unchanged. */
  readonly others: readonly FileRecord[];
}

/**
 * Returns the store of files so that a file gets a warning when it is stored in or moved to a project that already has the same bytes. The
 * warning is kept if the earlier file is removed. A file that gets none has `isFirst`, which is unique for a project and its bytes. So of
 * files that come at the same time, one is stored, and the others fail with a conflict or a duplicate key, and have to be tried again.
 * Create the store of files first.
 */
export function withDuplicates(files: FileStore, connection: Connection): ProjectFileStore {
  const stored = connection.model<FileRecord>("File");
  const recent = new LRUCache<string, FileRecord>({ max: maxRecent, ttl: recentMs });

  /** Returns which of the bytes a project has. */
  async function findKnown(
    projectId: string,
    hashes: readonly string[],
    session: Transaction | undefined,
  ): Promise<Set<string>> {
    const known = new Set<string>();
    const options = session === undefined ? {} : { session };
    for (;;) {
      const unknown = hashes.filter((sha256) => !known.has(sha256));
      if (unknown.length === 0) return known;
      const filter = { projectId, sha256: mongoose.trusted({ $in: unknown }) };
      // The limit matters for bytes of which there are many files.
      const found = await stored.find(filter, { sha256: 1 }, options).limit(unknown.length).lean();
      for (const { sha256 } of found) known.add(sha256);
      if (found.length < unknown.length) return known;
    }
  }

  /** Moves files without a project to the projects that they have here. Returns the number of those that still had none. */
  async function move(arrivals: readonly FileRecord[], session: Transaction | undefined): Promise<number> {
    const moves = arrivals.map(({ _id, projectId, warnings = [], isFirst }) => {
      const arrival = { projectId, expiresAt: null, warnings, ...(isFirst === true ? { isFirst } : {}) };
      return { updateOne: { filter: { _id, projectId: null }, update: { $set: arrival } } };
    });
    for (const { _id } of arrivals) recent.delete(_id);
    return (await stored.bulkWrite(moves, session === undefined ? {} : { session })).matchedCount;
  }

  /** Returns new files of projects with their warnings. */
  async function check(records: readonly FileRecord[], session: Transaction | undefined): Promise<FileRecord[]> {
    const known = new Map<string, Set<string>>();
    for (const [projectId, some] of Map.groupBy(records, (record) => record.projectId)) {
      const hashes = [...new Set(some.map(({ sha256 }) => sha256))];
      if (projectId !== null) known.set(projectId, await findKnown(projectId, hashes, session));
    }
    return records.map((record) => {
      const hashes = record.projectId === null ? undefined : known.get(record.projectId);
      const isDuplicate = hashes?.has(record.sha256);
      hashes?.add(record.sha256);
      return toChecked(record, isDuplicate);
    });
  }

  return {
    ...files,

    async insert(records, session, quota) {
      const inserted = await files.insert(await check(records, session), session, quota);
      for (const record of inserted) if (!isInProject(record)) recent.set(record._id, record);
      return inserted;
    },

    async adopt(ids, projectId, session) {
      if (ids.length === 0) return { arrived: [], others: [] };
      const found = await stored.find({ _id: mongoose.trusted({ $in: [...ids] }) }, null, { session }).lean();
      const [free, others] = [found.filter((record) => !isInProject(record)), found.filter(isInProject)];
      const arrived = await check(
        free.map((record) => ({ ...record, projectId, expiresAt: null })),
        session,
      );
      if (arrived.length > 0) await move(arrived, session);
      return { arrived, others };
    },

    findRecent: (id) => recent.get(id),

    async hasBytes(projectId, sha256) {
      return (await findKnown(projectId, [sha256], undefined)).size > 0;
    },

    async adoptFound({ file, isDuplicate }, projectId, session) {
      const arrived = toChecked({ ...file, projectId, expiresAt: null }, isDuplicate);
      if ((await move([arrived], session)) === 0) throw new FileChanged(file._id);
      return arrived;
    },
  };
}

/** Returns a file as it is stored in a project that has the same bytes or not; `isDuplicate` is undefined for a file without a project. */
function toChecked({ isFirst: _, ...record }: FileRecord, isDuplicate: boolean | undefined): FileRecord {
  const warnings = (record.warnings ?? []).filter(({ code }) => code !== WarningCode.DUPLICATE_FILE);
  if (isDuplicate === undefined) return { ...record, warnings };
  return isDuplicate ? { ...record, warnings: [...warnings, warning] } : { ...record, warnings, isFirst: true };
}

/** A file was moved or removed after it was found. */
class FileChanged extends Error {
  constructor(id: string) {
    super(`The file ${id} was moved or removed.`);
  }
}

/**
 * Repeats the storing or the move of a file a few times while it fails because another one has just come to the project with the same bytes
 * or the same id, or because the file itself has changed.
 */
export async function retryDuplicates<Result>(work: (isRetry: boolean) => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt > 0);
    } catch (error) {
      if (!(isDuplicateKey(error) || error instanceof FileChanged) || attempt === maxRetries) throw error;
    }
  }
}

const maxRetries = 5;
/** The maximum number of recent files, and the time for which they are kept. Most are moved to a project within this time. */
const maxRecent = 1_000;
const recentMs = 10_000;
