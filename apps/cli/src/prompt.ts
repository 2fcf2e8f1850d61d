import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { exitCodes, Failure, UsageError } from "./exit-codes.ts";
import type { Io } from "./io.ts";

/**
 * Asks for a secret on standard error; what is typed does not appear. Standard output stays free for data.
 * @throws UsageError without a terminal on both ends: nobody could answer
 */
export async function askSecret(io: Io, question: string, otherwise: string): Promise<string> {
  if (!io.stdin.isTerminal || !io.stderr.isTerminal)
    throw new UsageError(`there is no terminal to ask at: ${otherwise}`);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin.stream, output: silent, terminal: true });
  // Only now, when the terminal no longer shows what is typed.
  io.stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once("line", resolve);
      reader.once("SIGINT", () => reject(new Failure(exitCodes.interrupted, "interrupted")));
      reader.once("close", () => reject(new Error("nothing was answered")));
      io.signal.addEventListener("abort", () => reject(new Failure(exitCodes.interrupted, "interrupted")), {
        once: true,
      });
    });
  } finally {
    reader.close();
    io.stderr.write("\n");
  }
}

/** All of standard input as text. */
export async function readText(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin.stream) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString("utf8");
}
