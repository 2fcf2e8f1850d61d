import { spawn } from "node:child_process";
import { root } from "../../processes.ts";

/** What a program printed, and its exit code. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program in the root folder of the workspace until it ends, for at most two minutes, with this text on its standard input. */
export function run(path: string, args: readonly string[], input = ""): Promise<Outcome> {
  const child = spawn(path, args, { cwd: root, timeout: 120_000 });
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  // A program that fails at once does not read its input.
  child.stdin.on("error", () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...printed }));
  });
}
