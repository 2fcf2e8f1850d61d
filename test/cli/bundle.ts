import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../processes.ts";

const execute = promisify(execFile);

/** The command line as users install it, in its own folder. */
export interface Bundle {
  folder: string;
  file: string;
  remove(): Promise<void>;
}

/** Bundles the command line from the current sources. */
export async function buildBundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bundle-"));
  const target = join(folder, "package");
  await execute(process.execPath, [join(root, "apps/cli/build.ts"), target], { cwd: root });
  return {
    folder: target,
    file: join(target, "switchyard.js"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The exit code and the output of a process. */
export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a program until it ends. Its environment consists of PATH, HOME and the given variables. */
export async function runToEnd(
  file: string,
  argv: readonly string[],
  options: { cwd: string; environment?: Record<string, string>; stdin?: string },
): Promise<Ended> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: options.cwd, ...options.environment };
  try {
    const running = execute(file, [...argv], { cwd: options.cwd, env });
    running.child.stdin?.end(options.stdin ?? "");
    return { exitCode: 0, ...(await running) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== "number") throw error;
    return { exitCode: code, stdout, stderr };
  }
}

/** Returns the `node` of the workspace and, if there is one, another `node` on the PATH. */
export function nodes(): readonly string[] {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const others = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const found = others.filter((folder) => contains(folder, name)).map((folder) => join(folder, name));
  return [process.execPath, ...found.slice(0, 1)];
}

function contains(folder: string, name: string): boolean {
  try {
    return readdirSync(folder).includes(name);
  } catch {
    return false;
  }
}
