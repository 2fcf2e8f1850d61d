import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";

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
  /** Returns the recorded response for a document, byte for byte. */
  recorded(document: JournalDocument): string | undefined;
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
 * Opens the journal of a run. Creates it if it does not exist, and empties it if `restart` is true.
 * @throws UsageError if the file is not a journal, or is the journal of another run; Error if it cannot be created, read or written
 */
export async function openJournal(path: string, identity: RunIdentity, restart: boolean): Promise<Journal> {
  const about = digest(JSON.stringify({ ...identity, paths: [] }));
  const orExplain = (error: Error): never => {
    if (error instanceof UsageError) throw error;
    throw new Error(`the journal cannot be used, --journal names another file: ${error.message}`, { cause: error });
  };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(orExplain);
  // The file is read even for a restart: a file that is not the journal of this run is never overwritten.
  const text = await readText(path).catch(orExplain);
  const found = parseLines(text, path);
  if (found[0] !== undefined && found[0]["about"] !== about)
    throw new UsageError(
      `${path} is not the journal of this run: it belongs to a run with another classifier, another server or other options`,
    );
  const before = restart ? [] : found;
  const [header] = before;
  const run = typeof header?.["run"] === "string" ? header["run"] : randomUUID();
  const responses = new Map<string, string>();
  for (const { path: document, sha256, response } of before.slice(1))
    if (typeof document === "string" && typeof sha256 === "string" && typeof response === "string")
      responses.set(getName({ path: document, sha256 }), response);

  const file = await open(path, "a", 0o600).catch(orExplain);
  await chmod(path, 0o600);
  if (header === undefined && text !== "") await file.truncate(0);
  // Terminates a line that a crash may have truncated.
  if (header === undefined) await file.appendFile(`${JSON.stringify({ run, about, ...identity })}\n`);
  else await file.appendFile("\n");

  return {
    path,
    recorded: (document) => responses.get(getName(document)),
    getKey: (document) => digest(`${run}\n${getName(document)}`).slice(0, 32),
    async record(document, response) {
      responses.set(getName(document), response);
      await file.appendFile(`${JSON.stringify({ ...document, response })}\n`);
    },
    close: () => file.close(),
  };
}

/** How a journal begins. */
const beginning = '{"run":';

/** Reads a journal; an empty text if it does not exist. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Returns the valid lines. Truncated and empty lines are ignored. Throws a UsageError if the text is not a journal. */
function parseLines(text: string, path: string): readonly Readonly<Record<string, unknown>>[] {
  const isTruncated = !text.includes("\n") && (text.startsWith(beginning) || beginning.startsWith(text));
  return text.split("\n").flatMap((line, index): Record<string, unknown>[] => {
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === "object" && value !== null) return [{ ...value }];
    } catch {
      // An invalid first line is reported below: it is written together with the file.
    }
    if (index === 0 && !isTruncated) throw new UsageError(`${path} is not a journal of classify run`);
    return [];
  });
}

function getName({ path, sha256 }: JournalDocument): string {
  return `${sha256} ${path}`;
}

/** SHA-256 in lower-case hexadecimal. */
export function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
