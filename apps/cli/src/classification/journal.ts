import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";

/** What a run is about; the same run again goes on where it stopped. */
export interface RunIdentity {
  readonly baseUrl: string;
  readonly classifierId: string;
  readonly extract: boolean;
  readonly explain: boolean;
  /** The words that name its documents, as whole paths. */
  readonly paths: readonly string[];
}

/**
 * What became of the documents of a run: a file of JSON lines, of which the last may be cut off by a crash. Whoever takes the
 * file for a run again gets the same keys for the same documents, so that the server answers as it did before even where an
 * answer came but was not written down.
 */
export interface Journal {
  readonly path: string;
  /** The answer to a document that was classified, as it came. */
  recorded(document: JournalDocument): string | undefined;
  /** The idempotency key of a document. */
  getKey(document: JournalDocument): string;
  record(document: JournalDocument, answer: string): Promise<void>;
  close(): Promise<void>;
}

/** A document by its whole path and its content: another content is another document. */
export interface JournalDocument {
  readonly path: string;
  readonly sha256: string;
}

/** Where the journal of a run is when nobody says another place. */
export function journalPath(run: RunIdentity, { environment, home }: Pick<Io, "environment" | "home">): string {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: windows } = environment;
  const folder = xdg || (process.platform === "win32" && windows) || join(home, ".local", "state");
  return join(folder, "switchyard", "runs", `${digest(JSON.stringify(run)).slice(0, 24)}.jsonl`);
}

/**
 * Opens the journal of a run; it comes into being when it is not there, or when the run shall be made afresh.
 * @throws UsageError when the file is of another run, or no journal
 */
export async function openJournal(path: string, identity: RunIdentity, afresh: boolean): Promise<Journal> {
  const about = digest(JSON.stringify({ ...identity, paths: [] }));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Read also where it shall be forgotten: what is no journal of this run is never overwritten.
  const found = await readLines(path);
  if (found[0] !== undefined && found[0]["about"] !== about)
    throw new UsageError(`${path} is not the journal of this run: it is of another classifier, server or options`);
  const before = afresh ? [] : found;
  const [header] = before;
  const run = typeof header?.["run"] === "string" ? header["run"] : randomUUID();
  const answers = new Map<string, string>();
  for (const { path: document, sha256, answer } of before.slice(1))
    if (typeof document === "string" && typeof sha256 === "string" && typeof answer === "string")
      answers.set(getName({ path: document, sha256 }), answer);

  const file = await open(path, afresh ? "w" : "a", 0o600);
  await chmod(path, 0o600);
  // A line that a crash cut off is closed, so that the next one stands alone.
  if (header === undefined) await file.appendFile(`${JSON.stringify({ run, about, ...identity })}\n`);
  else await file.appendFile("\n");

  return {
    path,
    recorded: (document) => answers.get(getName(document)),
    getKey: (document) => digest(`${run}\n${getName(document)}`).slice(0, 32),
    async record(document, answer) {
      answers.set(getName(document), answer);
      await file.appendFile(`${JSON.stringify({ ...document, answer })}\n`);
    },
    close: () => file.close(),
  };
}

/** The lines that can be read; a cut off or empty one counts for nothing. */
async function readLines(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line, index): Record<string, unknown>[] => {
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === "object" && value !== null) return [{ ...value }];
    } catch {
      // Told below when it is the first line, which is written at once with the file.
    }
    if (index === 0 && text.includes("\n")) throw new UsageError(`${path} is not a journal of this program`);
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
