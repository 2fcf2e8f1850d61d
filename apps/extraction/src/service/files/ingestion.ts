import { Code } from "@connectrpc/connect";
import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import { invalid, notFound, problem, unlessAborted } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { QuotaLookup, Storage } from "@switchyard/storage";
import { areShort } from "../../store/blobs/blobs.ts";
import type { BlobStore, IncomingBytes } from "../../store/blobs/blobs.ts";
import { fileMessage } from "../../store/file-messages.ts";
import { retryDuplicates } from "../../store/duplicates.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { StoredText } from "../../store/texts.ts";
import type { Transaction } from "../../store/transaction.ts";
import { pageCount } from "../../reading/index.ts";
import { getReadingHint } from "./text-cache.ts";
import type { DocumentTextCache } from "./text-cache.ts";
import type { ServiceSettings } from "../settings.ts";

/** A document to ingest. */
export interface IncomingDocument {
  organizationId: string;
  /** Null stores the document without a project, until its retention period ends. */
  projectId: string | null;
  /** A name that is safe to store. */
  filename: string;
  /** The content type that the sender declared. It may be empty. */
  contentType: string;
  content: IncomingBytes;
  createdBy: string;
}

/** Ingests documents: receives, reads and stores them. */
export interface Ingestion {
  /**
   * Receives the bytes of a file as a stream. Throws ResourceExhausted if the file is too large, and InvalidArgument for `field` if
   * it is empty; nothing is stored then. The caller must call `ingest` with the result.
   */
  receive(pieces: AsyncIterable<Uint8Array>, field: string): Promise<IncomingBytes>;
  /** Does the same for bytes that are already in memory. */
  receiveAll(bytes: Uint8Array, field: string): Promise<IncomingBytes>;
  /**
   * Reads a document, and stores its bytes and the file in one transaction. Stores nothing if the signal is aborted. Throws NotFound
   * if its project was deleted, and InvalidArgument (QUOTA_EXCEEDED) if the organization has no room for it. `note` creates the audit entry
   * for the file; without it there is none.
   */
  ingest(
    document: IncomingDocument,
    signal: AbortSignal,
    note?: (record: FileRecord) => NotedChange,
  ): Promise<{ record: FileRecord; text: StoredText }>;
}

/** The dependencies of the ingestion. */
export interface IngestionDependencies {
  storage: Pick<Storage, "atomically" | "batchWrites">;
  files: FileStore;
  blobs: Omit<BlobStore, "read">;
  textCache: DocumentTextCache;
  deletedProjects: Pick<DeletedProjects, "has">;
  quotas: QuotaLookup;
  outbox: Pick<AuditOutbox, "note">;
  now: () => number;
  settings: Pick<ServiceSettings, "retentionMs" | "maxFileBytes">;
}

/** A file to store, with its bytes and the quota of its organization. */
interface Stored {
  /** The file. Storing it changes its warnings. */
  record: FileRecord;
  readonly content: IncomingBytes;
  readonly note: NotedChange | undefined;
  readonly quota: number;
}

/** Creates the ingestion. */
export function createIngestion(dependencies: IngestionDependencies): Ingestion {
  const { storage, files, blobs, textCache, deletedProjects, quotas, outbox, now, settings } = dependencies;

  const storing = new Map<string, Promise<void>>();
  const storeShort = storage.batchWrites<Stored>(async (_organizationId, stored, session) => {
    await store(stored, session);
    return true;
  });

  /** Stores files of one organization and their bytes. */
  async function store(stored: readonly Stored[], session: Transaction): Promise<void> {
    for (const projectId of new Set(stored.map(({ record }) => record.projectId))) {
      if (projectId !== null && (await deletedProjects.has(projectId, session))) {
        throw notFound("project", projectId, "projectId");
      }
    }
    await blobs.keep(
      stored.map(({ content }) => content),
      session,
    );
    const records = stored.map(({ record }) => record);
    const inserted = await files.insert(records, session, stored[0]?.quota);
    stored.forEach((each, index) => (each.record = inserted[index] ?? each.record));
    for (const { note } of stored) if (note !== undefined) await outbox.note(note, session);
  }

  /**
   * Stores a file and its bytes in one transaction. Short contents share it with others. Long ones wait for a concurrent write of the same
   * bytes first, because concurrent transactions on them would conflict. Returns the file as it is stored.
   */
  async function place(record: FileRecord, content: IncomingBytes, note: NotedChange | undefined): Promise<FileRecord> {
    const { storedBytes: quota } = await quotas.get(record.organizationId);
    const stored: Stored = { record, content, note, quota };
    const toResponse = () => fileMessage(stored.record);
    const placeAlone = () =>
      retryDuplicates(() => storage.atomically((session) => store([stored], session), toResponse));
    const first = storing.get(content.sha256);
    if (areShort(content)) {
      await retryDuplicates(() => storeShort(record.organizationId, stored, toResponse));
    } else if (first !== undefined) {
      await first.catch(() => undefined);
      await placeAlone();
    } else {
      const placed = placeAlone().finally(() => storing.delete(content.sha256));
      storing.set(content.sha256, placed);
      await placed;
    }
    return stored.record;
  }

  async function readAndPlace(
    document: IncomingDocument,
    signal: AbortSignal,
    note: ((record: FileRecord) => NotedChange) | undefined,
  ): Promise<{ record: FileRecord; text: StoredText }> {
    const { organizationId, projectId, filename, contentType, content, createdBy } = document;
    const { sha256, size } = content;
    const hint = getReadingHint(content.beginning, filename, contentType);
    const subject = { sha256, size, filename, declaredContentType: contentType, readingHint: hint };
    const reading = textCache.begin(subject, () => blobs.readBytes(content));
    try {
      const text = await unlessAborted(reading.text, signal);
      const createdAt = now();
      const record: FileRecord = {
        _id: newId("fil"),
        organizationId,
        projectId,
        filename,
        contentType: text.contentType,
        declaredContentType: contentType,
        readingHint: hint,
        size,
        sha256,
        reason: text.problem,
        warnings: text.warnings,
        pageCount: pageCount(text.text),
        acceptedFor: [],
        createdAt: new Date(createdAt),
        createdBy,
        expiresAt: projectId === null ? new Date(createdAt + settings.retentionMs) : null,
      };
      signal.throwIfAborted();
      const placed = await place(record, content, note?.(record));
      // The file is stored, and its text can be read again.
      await reading.save().catch(() => undefined);
      return { record: placed, text };
    } finally {
      reading.end();
    }
  }

  function checkSize(size: number, field: string): void {
    const { maxFileBytes } = settings;
    if (size === 0) throw invalid([{ field, message: "must not be empty" }], "EMPTY_FILE");
    if (size <= maxFileBytes) return;
    throw problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", `A file may have at most ${maxFileBytes} bytes.`);
  }

  /** Removes chunks stored in advance, unless a file uses them. The cleanup removes them later if this fails. */
  async function discard(content: IncomingBytes): Promise<void> {
    if (content.storedChunks === 0) return;
    await storage.atomically((session) => blobs.discard(content, session)).catch(() => undefined);
  }

  return {
    async receive(pieces, field) {
      const writer = blobs.writer();
      let size = 0;
      try {
        for await (const piece of pieces) {
          size += piece.length;
          if (size > 0) checkSize(size, field);
          await writer.write(piece);
        }
        checkSize(size, field);
        return writer.end();
      } catch (error) {
        await discard(writer.end());
        throw error;
      }
    },

    async receiveAll(bytes, field) {
      checkSize(bytes.length, field);
      return blobs.take(bytes);
    },

    async ingest(document, signal, note) {
      try {
        return await readAndPlace(document, signal, note);
      } finally {
        await discard(document.content);
      }
    },
  };
}
