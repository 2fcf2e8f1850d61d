import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A program that some tests use and that the workspace does not install. */
export interface Program {
  /** The environment variable with its path. */
  readonly variable: string;
  /** Its name on the PATH. */
  readonly name: string;
  /** Arguments with which it exits with status 0 if it has everything that the tests need. */
  readonly check?: readonly string[];
}

/** The browser of the tests of pages. */
export const chromium: Program = { variable: "CHROMIUM", name: "chromium" };

/**
 * Describes tests that use a program. `tests` gets its path: the value of its variable, or where it is on the PATH. Without it the tests are
 * skipped, which is printed with the reason.
 */
export function describeWith(program: Program, title: string, tests: (path: string) => void): void {
  const path = findProgram(program);
  if (path !== undefined) describe(title, () => tests(path));
  else {
    const lacking = program.check === undefined ? "" : `, or it fails with ${program.check.join(" ")}`;
    console.log(`${title}: skipped, neither ${program.variable} nor a ${program.name} on the PATH${lacking}`);
    describe.skip(title, () => tests(program.name));
  }
}

/** Returns the path of a program, if it is there and passes its check. */
export function findProgram({ variable, name, check }: Program): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = process.env[variable] || folders.map((folder) => join(folder, name)).find(existsSync);
  if (path === undefined || check === undefined) return path;
  return spawnSync(path, check, { stdio: "ignore" }).status === 0 ? path : undefined;
}
