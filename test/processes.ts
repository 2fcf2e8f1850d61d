import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { monitoring } from "./subset/preload.ts";

/** The workspace's root. */
export const root = join(import.meta.dirname, "..");

/** A program of the workspace that runs as a process of its own. */
export interface RunningProgram {
  child: ChildProcess;
  /** All that it has printed so far, of both kinds. */
  output(): string;
  /** Resolves with the output when it has printed something that matches; throws when it ends before, or when that is not in time. */
  printed(pattern: RegExp): Promise<string>;
  /** Resolves with its exit code when it has ended by itself. */
  ended(): Promise<number | null>;
  /** Ends it in order, or with the signal given; resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A program starts in a second or three, and beside everything else that a machine may do in much more. */
const patienceMs = 110_000;

/** Where programs that end in order leave their compiled modules; those after them start in about half the time. */
export const compiled = join(root, "node_modules/.cache/switchyard-compiled");

/** An argument of Node.js for processes with threads; apps/standalone/bin/switchyard-server.js says why. */
export const stableThreads = "--wasm-wrapper-tiering-budget=1000000000";

/** Runs a program of the workspace with these variables added to the environment. */
export function runProgram(file: string, args: readonly string[], environment: Record<string, string>): RunningProgram {
  const child = spawn(process.execPath, [stableThreads, ...monitoring(), join(root, file), ...args], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: compiled, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const listeners = new Set<() => void>();
  const heard = (chunk: Buffer): void => {
    text += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    child,
    output: () => text,
    async printed(pattern) {
      let timer: NodeJS.Timeout | undefined;
      const found = new Promise<void>((resolve, reject) => {
        const check = (): void => {
          if (pattern.test(text)) resolve();
        };
        listeners.add(check);
        check();
        timer = setTimeout(() => reject(new Error(`${file} did not print ${pattern} in time:\n${text}`)), patienceMs);
        void gone.then(() => reject(new Error(`${file} ended before it printed ${pattern}:\n${text}`)));
      });
      await found.finally(() => clearTimeout(timer));
      return text;
    },
    async ended() {
      await gone;
      return child.exitCode;
    },
    async end(signal = "SIGTERM") {
      child.kill(signal);
      await gone;
    },
  };
}
