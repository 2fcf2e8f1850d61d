import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import { isatty } from "node:tty";
import { readEnvironment } from "./config.ts";
import { exitCodes } from "./terminal/exit-codes.ts";
import type { Output } from "./terminal/io.ts";
import { run } from "./run.ts";

function toOutput(stream: NodeJS.WriteStream, descriptor: number): Output {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever read the notes may have left. The command continues, because its exit code says how it ended.
    if (error.code === "EPIPE" && descriptor === 2) return;
    // The reader may close the pipe, as `head` does. Then there is nothing left to do.
    if (error.code === "EPIPE") process.exit(exitCodes.done);
    if (descriptor === 1) process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(exitCodes.error);
  });
  return {
    write: (text) => void stream.write(text),
    ready: () =>
      stream.writableNeedDrain ? new Promise((resolve) => stream.once("drain", resolve)) : Promise.resolve(),
    isTerminal: stream.isTTY === true,
    isPiped: isPipe(descriptor),
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
  };
}

function isPipe(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket();
  } catch {
    return false;
  }
}

const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)));

void run(process.argv.slice(2), {
  stdin: {
    isTerminal: isatty(0),
    // Opened on first use, because most commands do not read it.
    get stream() {
      return process.stdin;
    },
  },
  stdout: toOutput(process.stdout, 1),
  stderr: toOutput(process.stderr, 2),
  environment: readEnvironment(),
  folder: process.cwd(),
  home: homedir(),
  signal: ending.signal,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
