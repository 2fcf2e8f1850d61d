import { unavailable } from "@switchyard/rpc";
import { ReadProblem, WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { joinChunks } from "../store/chunks.ts";
import type { BlobStore } from "../store/blobs.ts";
import type { StoredText, TextStore } from "../store/texts.ts";
import { extensionOf } from "./filename.ts";
import type { DocumentReader, ReadResult } from "../reading/index.ts";

/** What decides what is read: the bytes and, where they do not tell what they are, what their sender said of them. */
export interface ReadingSubject {
  sha256: string;
  filename: string;
  declaredContentType: string;
  /** What `readingHint` gave for them. */
  readingHint: string;
}

/** Texts of stored bytes: the same bytes are not read twice. */
export interface Readings {
  /** The text of stored bytes; `bytes` saves fetching them where they are at hand. Throws Unavailable when the reader cannot. */
  of(subject: ReadingSubject, bytes?: Uint8Array): Promise<StoredText>;
}

/** What readings need. `readerVersion` is the reader's name and version: what another one read does not count. */
export interface ReadingsDependencies {
  texts: TextStore;
  blobs: BlobStore;
  reader: Pick<DocumentReader, "read">;
  readerVersion: string;
  now: () => number;
  /** How long it counts that bytes could not be read, in milliseconds. */
  unreadableMs: number;
}

/** Creates the readings of one process. */
export function createReadings(dependencies: ReadingsDependencies): Readings {
  const { texts, blobs, reader, readerVersion, now, unreadableMs } = dependencies;
  const underWay = new Map<string, Promise<StoredText>>();

  async function read(key: string, subject: ReadingSubject, bytes: Uint8Array | undefined): Promise<StoredText> {
    const known = await texts.find(key);
    if (known !== null && !isDoubtful(known, now() - unreadableMs)) return known;
    const reading = await readNow({
      // Exactly these bytes: a view that is sent to another thread takes the whole buffer behind it along.
      bytes: bytes === undefined ? await joinChunks(blobs.read(subject.sha256)) : new Uint8Array(bytes),
      filename: subject.filename,
      contentType: subject.declaredContentType,
    });
    const text: StoredText = {
      contentType: reading.contentType,
      problem: reading.problem === undefined ? null : { code: reading.problem.code, message: reading.problem.message },
      warnings: reading.leftOut.map((message) => ({ code: WarningCode.PAGES_LEFT_OUT, message })),
      text: reading.text,
      readAt: new Date(now()),
    };
    await texts.put(key, subject.sha256, text, known);
    return text;
  }

  async function readNow(source: Parameters<DocumentReader["read"]>[0]): Promise<ReadResult> {
    try {
      return await reader.read(source);
    } catch (error) {
      // Not the document's fault: too many wait, or the service is being stopped.
      throw unavailable("READER_UNAVAILABLE", "The document cannot be read at the moment.", error);
    }
  }

  return {
    of(subject, bytes) {
      const key = [subject.sha256, readerVersion, subject.readingHint].join(" ");
      const running = underWay.get(key);
      if (running !== undefined) return running;
      const started = read(key, subject, bytes).finally(() => underWay.delete(key));
      underWay.set(key, started);
      return started;
    },
  };
}

/**
 * What a reader needs to know besides the bytes: nothing where they say themselves what they are, else the sender's words. Two
 * senders who say different things of the same bytes have different texts.
 */
export function readingHint(bytes: Uint8Array, filename: string, contentType: string): string {
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024));
  if (beginning.includes("%PDF-") || beginning.includes(0)) return "";
  return `${contentType.toLowerCase()} ${extensionOf(filename)}`;
}

/** Whether a failed reading may have failed for want of time or memory, and is old enough to be tried again. */
function isDoubtful({ problem, readAt }: StoredText, before: number): boolean {
  return problem?.code === ReadProblem.UNREADABLE_FILE && readAt.getTime() < before;
}
