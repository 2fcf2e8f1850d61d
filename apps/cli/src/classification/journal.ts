import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import { readLines, type Line } from "./journal-lines.ts";

/** What identifies a run. A run with the same identity continues an interrupted one. */
export interface RunIdentity {
  readonly baseUrl: string;
  readonly classifierId: string;
  readonly extract: boolean;
  readonly explain: boolean;
  /** The arguments that name the documents, as absolute paths. */
  readonly paths: readonly string[];
}

/**
 * The outcomes of a run's documents, as a file of JSON lines. A crash may truncate the last line. A run that continues with the file
 * uses the same keys for the same documents, so the server repeats a response that was received but not recorded.
 */
export interface Journal {
  readonly path: string;
  /** Resolves with the response for a document that was recorded before the journal was opened, byte for byte. */
  recorded(document: JournalDocument): Promise<string | undefined>;
  /** The idempotency key of a document. */
  getKey(document: JournalDocument): string;
  record(document: JournalDocument, response: string): Promise<void>;
  close(): Promise<void>;
}

/** A document, identified by its absolute path and its content. */
export interface JournalDocument {
  readonly path: string;
  readonly sha256: string;
}

/** Returns the default path of a run's journal. */
export function journalPath(run: RunIdentity, { environment, home }: Pick<Io, "environment" | "home">): string {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: windows } = environment;
  const folder = xdg || (process.platform === "win32" && windows) || join(home, ".local", "state");
  return join(folder, "switchyard", "runs", `${digest(JSON.stringify(run)).slice(0, 24)}.jsonl`);
}

/**
 * Opens the journal of a run. Creates it if it does not exist, and empties it if `restart` is true. The responses stay in the file: those of
 * a hundred thousand documents would need much memory.
 * @throws UsageError if the file is not a journal, or is the journal of another run; Error if it cannot be created, read or written
 */
export async function openJournal(path: string, identity: RunIdentity, restart: boolean): Promise<Journal> {
  const about = digest(JSON.stringify({ ...identity, paths: [] }));
  const orExplain = (error: Error): never => {
    if (error instanceof UsageError) throw error;
    throw new Error(`the journal cannot be used, --journal names another file: ${error.message}`, { cause: error });
  };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(orExplain);
  const file = await open(path, "a+", 0o600).catch(orExplain);
  try {
    // The file is read even for a restart: a file that is not the journal of this run is never overwritten.
    const { isEmpty, header, places } = await readJournal(file, path, about);
    const run = restart || header === undefined ? undefined : header["run"];
    await file.chmod(0o600);
    const continues = typeof run === "string";
    const started = continues ? run : randomUUID();
    // What was empty is not emptied: another run may have begun it in the meantime.
    if (!continues && !isEmpty) await file.truncate(0);
    // Terminates a line that a crash may have truncated.
    await file.appendFile(continues ? "\n" : `${JSON.stringify({ run: started, about, ...identity })}\n`);
    return {
      path,
      async recorded(document) {
        const place = continues ? places.get(getName(document)) : undefined;
        return place && (await readResponse(file, place));
      },
      getKey: (document) => digest(`${started}\n${getName(document)}`).slice(0, 32),
      record: (document, response) => file.appendFile(`${JSON.stringify({ ...document, response })}\n`),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    return orExplain(error as Error);
  }
}

/** How a journal begins. */
const beginning = '{"run":';

/** Where a line is in the file, in bytes. */
interface Place {
  readonly position: number;
  readonly length: number;
}

/**
 * Reads a journal: whether it is empty; its first line, which is undefined if the journal is empty or a crash has cut the line off; and where
 * the line of each document is. Truncated and empty lines are ignored.
 * @throws UsageError if the file is not a journal, or is the journal of another run
 */
async function readJournal(file: FileHandle, path: string, about: string) {
  const places = new Map<string, Place>();
  let isEmpty = true;
  let header: Readonly<Record<string, unknown>> | undefined;
  for await (const line of readLines(file)) {
    isEmpty = false;
    const value = parseLine(line);
    if (line.position === 0) {
      header = value;
      if (value === undefined && !isBeginning(line)) throw new UsageError(`${path} is not a journal of classify run`);
      if (value !== undefined && value["about"] !== about)
        throw new UsageError(
          `${path} is not the journal of this run: it belongs to a run with another classifier, another server or other options`,
        );
    }
    const { path: document, sha256, response } = value ?? {};
    if (typeof document === "string" && typeof sha256 === "string" && typeof response === "string")
      places.set(getName({ path: document, sha256 }), { position: line.position, length: line.bytes.length });
  }
  return { isEmpty, header, places };
}

function parseLine({ bytes }: Line): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a line is the beginning of a journal that a crash has cut off. */
function isBeginning({ bytes, isEnded }: Line): boolean {
  const text = bytes.toString("utf8");
  return !isEnded && (text.startsWith(beginning) || beginning.startsWith(text));
}

/** Reads the response in a line. Undefined if the line is gone, because another run began the journal again. */
async function readResponse(file: FileHandle, { position, length }: Place): Promise<string | undefined> {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, position);
  const { response } = parseLine({ bytes, position, isEnded: true }) ?? {};
  return typeof response === "string" ? response : undefined;
}

function getName({ path, sha256 }: JournalDocument): string {
  return `${sha256} ${path}`;
}

/** SHA-256 in lower-case hexadecimal. */
export function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
