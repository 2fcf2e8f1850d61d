import { unavailable } from "@switchyard/rpc";
import { ReadProblem, WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { joinChunks } from "../../store/blobs/chunks.ts";
import type { StoredText, TextStore } from "../../store/texts.ts";
import { getExtension } from "./filename.ts";
import type { DocumentReader, ReadResult } from "../../reading/index.ts";

/** What decides what is read: the bytes and, where they do not tell what they are, what their sender said of them. */
export interface ReadingSubject {
  sha256: string;
  filename: string;
  declaredContentType: string;
  /** What `readingHint` gave for them. */
  readingHint: string;
}

/** The reading of bytes that are not stored yet. `end` must follow. */
export interface IncomingReading {
  /** Rejects with Unavailable when the reader cannot. */
  readonly text: Promise<StoredText>;
  /** Stores the text: the bytes are stored now. */
  keep(): Promise<void>;
  /** Nothing more is wanted of it. */
  end(): void;
}

/** Texts of bytes: the same bytes are not read twice. */
export interface Readings {
  /** The text of a stored file. Throws Unavailable when the reader cannot, DataLoss when the bytes are damaged. */
  of(file: ReadingSubject & { _id: string; size: number }): Promise<StoredText>;
  /**
   * Reads bytes that are being taken in; their buffer is given away. A text belongs to stored bytes and goes with them, so it is stored
   * after them.
   */
  begin(subject: ReadingSubject, bytes: () => Promise<Uint8Array<ArrayBuffer>>): IncomingReading;
}

/** What readings need. `readerVersion` is the reader's name and version: what another one read does not count. */
export interface ReadingsDependencies {
  texts: TextStore;
  /** The bytes of a stored file, whole. */
  getContent: (file: { _id: string; sha256: string }) => AsyncIterable<Uint8Array>;
  reader: Pick<DocumentReader, "read">;
  readerVersion: string;
  now: () => number;
  /** How long it counts that bytes could not be read, in milliseconds. */
  unreadableRetentionMs: number;
}

/** A text that was found, or was just read and is to be stored in place of an older one. */
interface Found {
  text: StoredText;
  unsaved: { replacing: StoredText | null } | undefined;
}

/** Some that want the same text at the same time. */
interface Shared {
  found: Promise<Found>;
  saved: Promise<void> | undefined;
  users: number;
}

/** Creates the readings of one process. */
export function createReadings(dependencies: ReadingsDependencies): Readings {
  const { texts, getContent, reader, readerVersion, now, unreadableRetentionMs } = dependencies;
  const underWay = new Map<string, Shared>();

  async function find(
    key: string,
    subject: ReadingSubject,
    bytes: () => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Found> {
    const known = await texts.find(key);
    if (known !== null && !isDoubtful(known, now() - unreadableRetentionMs)) return { text: known, unsaved: undefined };
    const { filename, declaredContentType: contentType } = subject;
    const reading = await readNow(bytes, { filename, contentType });
    const text: StoredText = {
      contentType: reading.contentType,
      problem: reading.problem === undefined ? null : { code: reading.problem.code, message: reading.problem.message },
      warnings: reading.leftOut.map((message) => ({ code: WarningCode.PAGES_LEFT_OUT, message })),
      text: reading.text,
      readAt: new Date(now()),
    };
    return { text, unsaved: { replacing: known } };
  }

  async function readNow(
    bytes: () => Promise<Uint8Array<ArrayBuffer>>,
    source: Omit<Parameters<DocumentReader["read"]>[0], "bytes">,
  ): Promise<ReadResult> {
    let failed: { error: unknown } | undefined;
    const fetched = () =>
      bytes().catch((error: unknown) => {
        failed = { error };
        throw error;
      });
    try {
      return await reader.read({ ...source, bytes: fetched });
    } catch (error) {
      if (failed !== undefined) throw failed.error;
      // Not the document's fault: too many wait, or the service is being stopped.
      throw unavailable("READER_UNAVAILABLE", "The document cannot be read at the moment.", error);
    }
  }

  function begin(subject: ReadingSubject, bytes: () => Promise<Uint8Array<ArrayBuffer>>): IncomingReading {
    const key = [subject.sha256, readerVersion, subject.readingHint].join(" ");
    const shared = underWay.get(key) ?? { found: find(key, subject, bytes), saved: undefined, users: 0 };
    underWay.set(key, shared);
    shared.users += 1;
    const forget = (): void => {
      if (underWay.get(key) === shared) underWay.delete(key);
    };

    async function save(): Promise<void> {
      const { text, unsaved } = await shared.found;
      if (unsaved !== undefined) await texts.put(key, subject.sha256, text, unsaved.replacing);
    }

    return {
      text: shared.found.then(({ text }) => text),
      // Whoever comes later finds it in the store.
      keep: () => (shared.saved ??= save().finally(forget)),
      end() {
        shared.users -= 1;
        if (shared.users === 0) forget();
      },
    };
  }

  return {
    begin,
    async of(file) {
      const reading = begin(file, () => joinChunks(getContent(file), file.size));
      try {
        const text = await reading.text;
        await reading.keep();
        return text;
      } finally {
        reading.end();
      }
    },
  };
}

/**
 * What a reader needs to know besides the bytes: nothing where they say themselves what they are, else the sender's words. Two
 * senders who say different things of the same bytes have different texts. `firstBytes` are at most 1 KiB.
 */
export function readingHint(firstBytes: Uint8Array, filename: string, contentType: string): string {
  const beginning = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, firstBytes.byteLength);
  if (beginning.includes("%PDF-") || beginning.includes(0)) return "";
  return `${contentType.toLowerCase()} ${getExtension(filename)}`;
}

/** Whether a failed reading may have failed for want of time or memory, and is old enough to be tried again. */
function isDoubtful({ problem, readAt }: StoredText, before: number): boolean {
  return problem?.code === ReadProblem.UNREADABLE_FILE && readAt.getTime() < before;
}
