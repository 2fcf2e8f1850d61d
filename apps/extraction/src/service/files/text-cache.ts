import { unavailable, unlessAborted } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { ReadProblem, WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { joinChunks } from "../../store/blobs/chunks.ts";
import type { StoredText, TextStore } from "../../store/texts.ts";
import { getExtension } from "./filename.ts";
import { mayBeText } from "../../reading/index.ts";
import type { DocumentReader, ReadResult } from "../../reading/index.ts";

/** Identifies the text to read: the hash of the bytes and, if the bytes do not reveal their format, the sender's description. */
export interface ReadRequest {
  sha256: string;
  /** The number of bytes. */
  size: number;
  filename: string;
  declaredContentType: string;
  /** The result of `getReadingHint` for these bytes. */
  readingHint: string;
}

/** The text of bytes that are not stored yet. The caller must call `end`. */
export interface PendingText {
  /** Rejects with Unavailable if the reader is not available. */
  readonly text: Promise<StoredText>;
  /** Stores the text. Call this after the bytes are stored. */
  save(): Promise<void>;
  /** Releases this use of the text. Reading stops when the last use is released. */
  end(): void;
}

/** Caches the texts of documents, so that the same bytes are not read twice. */
export interface DocumentTextCache {
  /**
   * Returns the text of a stored file. Throws Unavailable if the reader is not available, and DataLoss if the bytes are damaged. Rejects
   * when the signal is aborted.
   */
  get(file: ReadRequest & { _id: string }, signal: AbortSignal): Promise<StoredText>;
  /**
   * Reads bytes of an upload; their buffer is transferred. A text belongs to stored bytes and is removed with them, so it is stored
   * after them.
   */
  begin(subject: ReadRequest, bytes: () => Promise<Uint8Array<ArrayBuffer>>): PendingText;
}

/** The dependencies of the cache. `readerVersion` is the reader's name and version; texts of other versions are ignored. */
export interface DocumentTextCacheDependencies {
  texts: TextStore;
  /** The bytes of a stored file, whole. */
  getContent: (file: { _id: string; sha256: string }) => AsyncIterable<Uint8Array>;
  reader: Pick<DocumentReader, "read">;
  readerVersion: string;
  now: () => number;
  /** How long to cache that bytes could not be read, in milliseconds. */
  unreadableRetentionMs: number;
}

/** A cached text, or a text that was just read and replaces an older one when it is saved. */
interface Found {
  text: StoredText;
  unsaved: { replacing: StoredText | null } | undefined;
}

/** A lookup that concurrent callers share. */
interface SharedLookup {
  found: Promise<Found>;
  saved: Promise<void> | undefined;
  users: number;
  /** Aborted when there are no users left. */
  readonly unused: AbortController;
}

/** The abort reason of a lookup that has no users left. It is shared, so that no error with a stack trace is created for each lookup. */
const nobodyWaits = Object.freeze(new Error("Nobody waits for the text"));

/** The texts of shorter documents in text formats are not stored: reading one again takes less time than storing it and looking it up. */
const maxUncachedBytes = 16 * 1024;

/** A document is extracted right after it is classified, so the most recently read texts are kept in memory for a while. */
const recent = { maxTexts: 1_000, maxBytes: 8 * 1024 * 1024, ttlMs: 10_000 } as const;

/** Creates the document text cache of one process. */
export function createDocumentTextCache(dependencies: DocumentTextCacheDependencies): DocumentTextCache {
  const { texts, getContent, reader, readerVersion, now, unreadableRetentionMs } = dependencies;
  const pending = new Map<string, SharedLookup>();
  const recentTexts = new LRUCache<string, StoredText>({
    // A short text takes several times the memory of its bytes, and one that is too old stays until another takes its place.
    max: recent.maxTexts,
    maxSize: recent.maxBytes,
    sizeCalculation: ({ text }) => text.length + 1,
    ttl: recent.ttlMs,
    // Without this, the cache reads the clock at most once in a millisecond.
    ttlResolution: 0,
    perf: { now },
  });

  async function find(
    key: string,
    subject: ReadRequest,
    bytes: () => Promise<Uint8Array<ArrayBuffer>>,
    unused: AbortSignal,
  ): Promise<Found> {
    const known = recentTexts.get(key) ?? (isShortText(subject) ? null : await texts.find(key));
    if (known !== null && !mayRetry(known, now() - unreadableRetentionMs)) return { text: known, unsaved: undefined };
    const { filename, declaredContentType: contentType } = subject;
    const reading = await readNow(bytes, { filename, contentType }, unused);
    const text: StoredText = {
      contentType: reading.contentType,
      problem: reading.problem === undefined ? null : { code: reading.problem.code, message: reading.problem.message },
      warnings: getWarnings(reading),
      text: reading.text,
      readAt: new Date(now()),
    };
    return { text, unsaved: { replacing: known } };
  }

  async function readNow(
    bytes: () => Promise<Uint8Array<ArrayBuffer>>,
    source: Omit<Parameters<DocumentReader["read"]>[0], "bytes">,
    unused: AbortSignal,
  ): Promise<ReadResult> {
    let failed: { error: unknown } | undefined;
    const fetched = () =>
      bytes().catch((error: unknown) => {
        failed = { error };
        throw error;
      });
    try {
      return await reader.read({ ...source, bytes: fetched }, unused);
    } catch (error) {
      if (failed !== undefined) throw failed.error;
      // The document is not the cause: the queue is full, or the service is stopping.
      throw unavailable("READER_UNAVAILABLE", "The document cannot be read at the moment.", error);
    }
  }

  function startLookup(key: string, subject: ReadRequest, bytes: () => Promise<Uint8Array<ArrayBuffer>>): SharedLookup {
    const unused = new AbortController();
    return { found: find(key, subject, bytes, unused.signal), saved: undefined, users: 0, unused };
  }

  function begin(subject: ReadRequest, bytes: () => Promise<Uint8Array<ArrayBuffer>>): PendingText {
    const key = [subject.sha256, readerVersion, subject.readingHint].join(" ");
    const shared = pending.get(key) ?? startLookup(key, subject, bytes);
    pending.set(key, shared);
    shared.users += 1;
    const forget = (): void => {
      if (pending.get(key) === shared) pending.delete(key);
    };

    async function save(): Promise<void> {
      const { text, unsaved } = await shared.found;
      if (unsaved === undefined) return;
      if (!isShortText(subject)) await texts.put(key, subject.sha256, text, unsaved.replacing);
      recentTexts.set(key, text);
    }

    return {
      text: shared.found.then(({ text }) => text),
      // Later callers find the text in the store.
      save: () => (shared.saved ??= save().finally(forget)),
      end() {
        shared.users -= 1;
        if (shared.users > 0) return;
        forget();
        shared.unused.abort(nobodyWaits);
      },
    };
  }

  return {
    begin,
    async get(file, signal) {
      const reading = begin(file, () => joinChunks(getContent(file), file.size));
      try {
        const text = await unlessAborted(reading.text, signal);
        // A text that could not be stored can be read again.
        await reading.save().catch(() => undefined);
        return text;
      } finally {
        reading.end();
      }
    },
  };
}

/**
 * Returns what a reader needs besides the bytes: nothing if the bytes reveal their format, else the sender's content type and
 * extension. The same bytes with different descriptions have different texts. `firstBytes` holds at most 1 KiB.
 */
export function getReadingHint(firstBytes: Uint8Array, filename: string, contentType: string): string {
  const beginning = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, firstBytes.byteLength);
  if (beginning.includes("%PDF-") || !mayBeText(beginning, false)) return "";
  return `${contentType.toLowerCase()} ${getExtension(filename)}`;
}

function getWarnings({ omissions, poorQuality, hiddenText }: ReadResult): StoredText["warnings"] {
  return [
    ...omissions.map((message) => ({ code: WarningCode.PAGES_LEFT_OUT, message })),
    ...(poorQuality === undefined ? [] : [{ code: WarningCode.LOW_OCR_QUALITY, message: poorQuality }]),
    ...(hiddenText === undefined ? [] : [{ code: WarningCode.HIDDEN_TEXT, message: hiddenText }]),
  ];
}

/** Whether the bytes are a short document in a text format. Binary formats are excluded, because they may be compressed. */
function isShortText({ size, readingHint }: ReadRequest): boolean {
  return readingHint !== "" && size <= maxUncachedBytes;
}

/** Reports whether a failed read may have run out of time or memory and is old enough to be retried. */
function mayRetry({ problem, readAt }: StoredText, before: number): boolean {
  return problem?.code === ReadProblem.UNREADABLE_FILE && readAt.getTime() < before;
}
