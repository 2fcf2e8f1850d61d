import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { monitoring } from "./subset/preload.ts";

/** The root folder of the workspace. */
export const root = join(import.meta.dirname, "..");

/** A program of the workspace that runs in its own process. */
export interface RunningProgram {
  child: ChildProcess;
  /** Returns everything that it has printed so far, to stdout and stderr. */
  output(): string;
  /** Waits until the output matches, and returns it. Throws if the program ends before, or after a timeout. */
  printed(pattern: RegExp): Promise<string>;
  /** Waits until it has ended on its own, and returns its exit code. */
  ended(): Promise<number | null>;
  /** Ends it with SIGTERM or the given signal, and waits until it has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A program starts within three seconds on an idle machine, and takes much longer on a busy one. */
const startTimeoutMs = 110_000;

/** The compile cache of Node.js. Programs write to it when they end in order; programs after them start in about half the time. */
export const compiled = join(root, "node_modules/.cache/switchyard-compiled");

/**
 * Arguments of Node.js for the processes of a test run. The reason for the first is given in apps/standalone/bin/switchyard-server.js; the
 * second lets their threads use the compile cache.
 */
export const nodeArguments: readonly string[] = [
  "--wasm-wrapper-tiering-budget=1000000000",
  `--import=${pathToFileURL(join(root, "apps/standalone/bin/compiled-modules.js")).href}`,
];

/**
 * Runs a program of the workspace with additional environment variables, and with further arguments of Node.js, which hold in its threads too.
 * Servers have no rate limit, unless a variable sets it.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  environment: Record<string, string>,
  nodeOptions: readonly string[] = [],
): RunningProgram {
  const child = spawn(
    process.execPath,
    [...nodeArguments, ...nodeOptions, ...monitoring(), join(root, file), ...args],
    {
      cwd: root,
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        NODE_COMPILE_CACHE: compiled,
        SWITCHYARD_RATE_LIMIT: "0",
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let text = "";
  const listeners = new Set<() => void>();
  const receive = (chunk: Buffer): void => {
    text += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", receive);
  child.stderr.on("data", receive);
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    child,
    output: () => text,
    async printed(pattern) {
      let timer: NodeJS.Timeout | undefined;
      let check = (): void => undefined;
      const found = new Promise<void>((resolve, reject) => {
        check = () => {
          if (pattern.test(text)) resolve();
        };
        listeners.add(check);
        check();
        timer = setTimeout(
          () => reject(new Error(`${file} did not print ${pattern} in time:\n${text}`)),
          startTimeoutMs,
        );
        void gone.then(() => reject(new Error(`${file} ended before it printed ${pattern}:\n${text}`)));
      });
      await found.finally(() => {
        clearTimeout(timer);
        // A pattern that is tested against all output after every chunk costs more the more a program prints.
        listeners.delete(check);
      });
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
