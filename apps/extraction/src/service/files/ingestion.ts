import { Code } from "@connectrpc/connect";
import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import { invalid, notFound, problem } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import type { BlobStore, IncomingBytes } from "../../store/blobs/blobs.ts";
import { fileMessage } from "../../store/files.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { StoredText } from "../../store/texts.ts";
import { pageCount } from "../../reading/index.ts";
import { readingHint } from "./text-cache.ts";
import type { Readings } from "./text-cache.ts";
import type { ServiceSettings } from "../settings.ts";

/** A document that came in. */
export interface IncomingDocument {
  organizationId: string;
  /** Null: stored without a project, for as long as the settings say. */
  projectId: string | null;
  /** A name that is safe to store. */
  filename: string;
  /** What the sender says it is; may be empty. */
  contentType: string;
  content: IncomingBytes;
  createdBy: string;
}

/** The way of a document into the store. */
export interface Intake {
  /**
   * Takes in the bytes of a file as they come. Throws ResourceExhausted once they are too many, and InvalidArgument when there are
   * none, for `field`: where the sender put them. Nothing of them is left then. `take` must follow.
   */
  receive(pieces: AsyncIterable<Uint8Array>, field: string): Promise<IncomingBytes>;
  /** The same of bytes that are all at hand. */
  receiveAll(bytes: Uint8Array, field: string): Promise<IncomingBytes>;
  /**
   * Reads and stores a document, its bytes and the file in one transaction. With an aborted signal nothing is stored. Throws NotFound
   * when its project was deleted. `note` says what the audit trail is told of the file, where it is told.
   */
  take(
    document: IncomingDocument,
    signal: AbortSignal,
    note?: (record: FileRecord) => NotedChange,
  ): Promise<{ record: FileRecord; text: StoredText }>;
}

/** What the intake needs. */
export interface IntakeDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  blobs: Omit<BlobStore, "read">;
  readings: Readings;
  deletedProjects: Pick<DeletedProjects, "has">;
  outbox: Pick<AuditOutbox, "note">;
  now: () => number;
  settings: Pick<ServiceSettings, "retentionMs" | "maxFileBytes">;
}

/** Creates the intake. */
export function createIntake(dependencies: IntakeDependencies): Intake {
  const { storage, files, blobs, readings, deletedProjects, outbox, now, settings } = dependencies;

  const storing = new Map<string, Promise<void>>();

  /** The file with its bytes, both or neither. */
  async function place(record: FileRecord, content: IncomingBytes, note: NotedChange | undefined): Promise<void> {
    const { projectId } = record;
    await storage.atomically(
      async (session) => {
        if (projectId !== null && (await deletedProjects.has(projectId, session))) {
          throw notFound("project", projectId, "projectId");
        }
        await blobs.keep(content, session);
        await files.insert(record, session);
        if (note !== undefined) await outbox.note(note, session);
      },
      () => fileMessage(record),
    );
  }

  /** The same, after whoever stores the same bytes at the moment: all at once, they would be in each other's way. */
  async function placeInTurn(record: FileRecord, content: IncomingBytes, note: NotedChange | undefined): Promise<void> {
    const first = storing.get(content.sha256);
    if (first !== undefined) {
      await first.catch(() => undefined);
      return place(record, content, note);
    }
    const placed = place(record, content, note).finally(() => storing.delete(content.sha256));
    storing.set(content.sha256, placed);
    return placed;
  }

  async function readAndPlace(
    document: IncomingDocument,
    signal: AbortSignal,
    note: ((record: FileRecord) => NotedChange) | undefined,
  ): Promise<{ record: FileRecord; text: StoredText }> {
    const { organizationId, projectId, filename, contentType, content, createdBy } = document;
    const { sha256, size } = content;
    const hint = readingHint(content.beginning, filename, contentType);
    const subject = { sha256, filename, declaredContentType: contentType, readingHint: hint };
    const reading = readings.begin(subject, () => blobs.readBytes(content));
    try {
      const text = await reading.text;
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
      await placeInTurn(record, content, note?.(record));
      // The file is stored, and its text can be read again.
      await reading.keep().catch(() => undefined);
      return { record, text };
    } finally {
      reading.end();
    }
  }

  function checkSize(size: number, field: string): void {
    const { maxFileBytes } = settings;
    if (size === 0) throw invalid([{ field, message: "must not be empty" }], "EMPTY_FILE");
    if (size <= maxFileBytes) return;
    throw problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", `A file has at most ${maxFileBytes} bytes.`);
  }

  /** What was stored in advance goes, unless a file has it. What cannot be removed now is found later: no file refers to it. */
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

    async take(document, signal, note) {
      try {
        return await readAndPlace(document, signal, note);
      } finally {
        await discard(document.content);
      }
    },
  };
}
