import {
  createDocumentCache,
  createOwnWrites,
  createPassingCache,
  isDuplicateKey,
  newId,
  observeTransactions,
  observeWrites,
} from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createAcceptedStore } from "./store/accepted.ts";
import { blobModel } from "./store/blobs/blob-document.ts";
import { createBlobRemoval } from "./store/blobs/blob-removal.ts";
import { createBlobStore } from "./store/blobs/blobs.ts";
import { createChunkStore } from "./store/blobs/chunks.ts";
import { createDeletedFiles, withDeletedFiles } from "./store/deletions/deleted-files.ts";
import { withDuplicates } from "./store/duplicates.ts";
import { createExtractionStore } from "./store/extractions.ts";
import { createFileStore } from "./store/files.ts";
import { createJobStore } from "./store/jobs.ts";
import { createStoredBytes, withStoredBytes } from "./store/stored-bytes.ts";
import { createTextStore } from "./store/texts.ts";
import { createCurrentValuesStore } from "./store/values/current-values.ts";
import { createReviewThresholdStore } from "./store/values/review-thresholds.ts";

interface StoreOptions {
  /** Whether no other process uses the database. */
  readonly exclusive: boolean;
  /** Called when a transaction that deletes files has ended. */
  readonly onFilesDeleted?: (() => void) | undefined;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** The settings of the service. */
  readonly settings: { readonly blobGraceMs: number; readonly blobSettleMs: number };
}

/** Creates the stores of the service. All of its transactions must be those of the returned storage. */
export function createStores(ownStorage: Storage, { exclusive, onFilesDeleted, now, settings }: StoreOptions) {
  const createCache = exclusive ? createDocumentCache : createPassingCache;
  const deletions = createCache();
  const writes = createOwnWrites();
  const storage = observeTransactions(ownStorage, () => {
    writes.ended();
    return deletions.clear();
  });
  const { connection } = storage;
  const chunks = createChunkStore(connection);
  const blobs = blobModel(connection);
  const newKey = () => newId("blb");
  const deletedFiles = createDeletedFiles(connection, deletions, onFilesDeleted);
  const files = withStoredBytes(createFileStore(connection), createStoredBytes(connection));
  return {
    storage,
    blobs: createBlobStore({ blobs, chunks, newKey, now, graceMs: settings.blobGraceMs }),
    unused: createBlobRemoval({ blobs, chunks, now, settleMs: settings.blobSettleMs }),
    texts: createTextStore({ connection, chunks, newKey: () => newId("txt"), isDuplicate: isDuplicateKey }),
    deletedFiles,
    files: withDuplicates(withDeletedFiles(files, deletedFiles), connection),
    extractions: observeWrites(createExtractionStore(connection), ["finish"], writes.ended),
    accepted: createAcceptedStore(connection),
    currentValues: createCurrentValuesStore(connection),
    reviewThresholds: createReviewThresholdStore(connection, createCache()),
    jobs: observeWrites(createJobStore(connection), ["finish", "failStalled"], writes.ended),
    /** The writes of this process that may have changed extractions or jobs. */
    writes,
  };
}
