import { Code } from "@connectrpc/connect";
import { invalid, notFound, problem } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { AuditOutbox, DeletedProjects, NotedChange, Storage } from "@switchyard/storage";
import { createHash } from "node:crypto";
import type { BlobStore } from "../store/blobs.ts";
import { fileMessage } from "../store/files.ts";
import type { FileRecord, FileStore } from "../store/files.ts";
import type { StoredText } from "../store/texts.ts";
import { readingHint } from "./readings.ts";
import type { Readings } from "./readings.ts";
import type { ServiceSettings } from "./settings.ts";

/** A document that came in. */
export interface IncomingDocument {
  organizationId: string;
  /** Null: stored without a project, for as long as the settings say. */
  projectId: string | null;
  /** A name that is safe to store. */
  filename: string;
  /** What the sender says it is; may be empty. */
  contentType: string;
  bytes: Uint8Array;
  sha256: string;
  createdBy: string;
}

/** The way of a document into the store. */
export interface Intake {
  /**
   * Stores and reads a document. With an aborted signal no file is stored. Throws NotFound when its project was deleted. `note` says
   * what the audit trail is told of the file, where it is told.
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
  blobs: BlobStore;
  readings: Readings;
  deletedProjects: Pick<DeletedProjects, "has">;
  outbox: Pick<AuditOutbox, "note">;
  now: () => number;
  settings: Pick<ServiceSettings, "retentionMs">;
}

/** Creates the intake. */
export function createIntake(dependencies: IntakeDependencies): Intake {
  const { storage, files, blobs, readings, deletedProjects, outbox, now, settings } = dependencies;

  async function place(record: FileRecord, bytes: Uint8Array, note: NotedChange | undefined): Promise<void> {
    const { projectId } = record;
    for (let attempt = 1; attempt <= 3; attempt++) {
      const placed = await storage.atomically(
        async (session) => {
          if (projectId !== null && (await deletedProjects.has(projectId, session))) {
            throw notFound("project", projectId, "projectId");
          }
          if (!(await blobs.hold(record.sha256, session))) return false;
          await files.insert(record, session);
          if (note !== undefined) await outbox.note(note, session);
          return true;
        },
        (stored) => (stored ? fileMessage(record) : undefined),
      );
      if (placed) return;
      // The bytes were removed between: nobody else referred to them.
      await blobs.put(record.sha256, bytes);
    }
    throw new Error(`The bytes of ${record._id} do not stay`);
  }

  return {
    async take({ organizationId, projectId, filename, contentType, bytes, sha256, createdBy }, signal, note) {
      await blobs.put(sha256, bytes);
      const hint = readingHint(bytes, filename, contentType);
      const subject = { sha256, filename, declaredContentType: contentType, readingHint: hint };
      const text = await readings.of(subject, bytes);
      const createdAt = now();
      const record: FileRecord = {
        _id: newId("fil"),
        organizationId,
        projectId,
        filename,
        contentType: text.contentType,
        declaredContentType: contentType,
        readingHint: hint,
        size: bytes.length,
        sha256,
        reason: text.problem,
        warnings: text.warnings,
        pageCount: text.text.pages.length,
        acceptedFor: [],
        createdAt: new Date(createdAt),
        createdBy,
        expiresAt: projectId === null ? new Date(createdAt + settings.retentionMs) : null,
      };
      signal.throwIfAborted();
      await place(record, bytes, note?.(record));
      return { record, text };
    },
  };
}

/** The bytes of a file as they come in, piece by piece. */
export interface Collector {
  /** Throws ResourceExhausted once the file is too large. */
  add(piece: Uint8Array): void;
  /** All bytes with their hash. Throws InvalidArgument when there are none. */
  end(): { bytes: Uint8Array; sha256: string };
}

/** Collects the bytes of a file of at most `maxBytes`; `field` is where the sender put them. */
export function createCollector(maxBytes: number, field: string): Collector {
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [];
  let size = 0;
  return {
    add(piece) {
      size += piece.length;
      if (size > maxBytes) {
        throw problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", `A file has at most ${maxBytes} bytes.`);
      }
      hash.update(piece);
      pieces.push(piece);
    },
    end() {
      if (size === 0) throw invalid([{ field, message: "must not be empty" }], "EMPTY_FILE");
      return { bytes: Buffer.concat(pieces, size), sha256: hash.digest("hex") };
    },
  };
}
