import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { exitCodes, Failure, UsageError } from "./exit-codes.ts";
import { readInput, type Io } from "./io.ts";
import { printable } from "@switchyard/terminal";

/**
 * Asks for a secret on standard error, without echo. Standard output remains free for data.
 * @throws UsageError if there is no terminal
 */
export async function askSecret(io: Io, question: string, otherwise: string): Promise<string> {
  if (!canAsk(io)) throw new UsageError(`there is no terminal for input: ${otherwise}`);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin.stream, output: silent, terminal: true });
  // Write the question only after the echo is switched off.
  io.stderr.write(question);
  try {
    return await readAnswer(io, reader);
  } finally {
    reader.close();
    io.stderr.write("\n");
  }
}

/** Whether a user can answer questions. */
export function canAsk({ stdin, stderr }: Pick<Io, "stdin" | "stderr">): boolean {
  return stdin.isTerminal && stderr.isTerminal;
}

/** Asks a question on standard error. Any answer but "y" and "yes" means no. Requires `canAsk`. */
export async function askYesOrNo(io: Io, question: string): Promise<boolean> {
  const reader = createInterface({ input: io.stdin.stream, terminal: false });
  io.stderr.write(`${printable(question)} [y/N] `);
  try {
    return /^y(es)?$/i.test((await readAnswer(io, reader)).trim());
  } finally {
    reader.close();
  }
}

function readAnswer(io: Io, reader: Interface): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const interrupted = (): void => reject(new Failure(exitCodes.interrupted, "interrupted"));
    reader.once("line", resolve);
    reader.once("SIGINT", interrupted);
    reader.once("close", () => reject(new Error("there was no response")));
    io.signal.addEventListener("abort", interrupted, { once: true });
  });
}

/** Reads standard input as text. */
export async function readText(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readInput(io)) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString("utf8");
}
