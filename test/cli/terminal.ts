import { run } from "@switchyard/cli";
import type { Io, Output } from "@switchyard/cli";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";

/** The exit code and the output of a command line. */
export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Options for running a command line. */
export interface RunOptions {
  /** The number of columns of the terminal; stdout and stderr are piped if it is not set. */
  terminal?: number;
  stdin?: string | Uint8Array;
  /** The input that is typed in the terminal. */
  types?: string;
  environment?: Record<string, string>;
  signal?: AbortSignal;
  /** The working folder; the home folder by default. */
  folder?: string;
}

/** Runs command lines in this process, with their own home folder and only the given environment. */
export interface CliRunner {
  home: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  remove(): Promise<void>;
}

/** Creates a runner whose commands use this server and token. */
export async function createCliRunner(server: { url: string; token: string } | undefined): Promise<CliRunner> {
  const home = await mkdtemp(join(tmpdir(), "switchyard-cli-"));
  const connection: Record<string, string> =
    server === undefined ? {} : { SWITCHYARD_BASE_URL: server.url, SWITCHYARD_TOKEN: server.token };
  return {
    home,
    remove: () => rm(home, { recursive: true, force: true }),
    async run(argv, { terminal, stdin, types, environment = {}, signal, folder = home } = {}) {
      const stdout = capture(terminal);
      const stderr = capture(terminal);
      const io: Io = {
        stdin: {
          isTerminal: terminal !== undefined && stdin === undefined,
          stream: Readable.from([stdin, types].flatMap((text) => (text === undefined ? [] : [Buffer.from(text)]))),
        },
        stdout: stdout.output,
        stderr: stderr.output,
        environment: { NO_COLOR: "1", ...connection, ...environment },
        folder,
        home,
        signal: signal ?? new AbortController().signal,
      };
      const exitCode = await run(argv, io);
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
    },
  };
}

function capture(columns: number | undefined): { output: Output; text(): string } {
  const chunks: Buffer[] = [];
  return {
    output: {
      write: (chunk) => void chunks.push(Buffer.from(chunk as Uint8Array)),
      ready: () => Promise.resolve(),
      isTerminal: columns !== undefined,
      isPiped: columns === undefined,
      columns,
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** Waits for a command that must end with this code; throws with its output if it ends with another. */
export async function ended(ran: Promise<Ran>, exitCode: number): Promise<Ran> {
  const outcome = await ran;
  if (outcome.exitCode !== exitCode)
    throw new Error(`ended with ${outcome.exitCode} instead of ${exitCode}:\n${outcome.stdout}\n${outcome.stderr}`);
  return outcome;
}

/** Replaces IDs, times and addresses, which differ in each run, by constant ones of the same length. */
export function normalizeOutput(text: string): string {
  const seen = new Map<string, string>();
  return text
    .replace(/\b([a-z]{3,4})_[0-9a-z]{20,}/g, (id, prefix: string) => {
      if (!seen.has(id))
        seen.set(id, `${prefix}_${String(seen.size + 1).padStart(id.length - prefix.length - 1, "0")}`);
      return seen.get(id) ?? id;
    })
    .replace(/\b([a-z]{3,4}_…)([0-9a-z]+)/g, (_, start: string, end: string) => start + "0".repeat(end.length))
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "2026-11-01T12:00:00.000Z")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:8080");
}

/** Compares a text with a file in golden/, or writes the file if UPDATE_GOLDEN is 1. */
export async function expectGolden(name: string, text: string): Promise<void> {
  const path = join(import.meta.dirname, "golden", name);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, normalizeOutput(text));
  }
  expect(normalizeOutput(text)).toBe(await readFile(path, "utf8"));
}
