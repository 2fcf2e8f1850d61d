import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { compiled, root } from "./processes.ts";

/** A block of code of a page. */
export interface Block {
  /** The language after the backticks; "" for the output of a program. */
  readonly language: string;
  readonly text: string;
}

/** Returns the blocks of code of a Markdown page in their order. */
export function getBlocks(page: string): Block[] {
  return [...page.matchAll(/^ *```(\w*)\n([^]*?)^ *```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/**
 * Runs a script in bash as if it were pasted, in the root folder of the workspace by default. Returns what it printed to stdout, and throws
 * with all output if it fails.
 */
export function runShell(
  script: string,
  environment: Readonly<Record<string, string>>,
  folder: string = root,
): Promise<string> {
  const { PATH = "", MONGOD_BINARY } = process.env;
  const env = {
    PATH: [join(root, "node_modules/.bin"), PATH].join(delimiter),
    ...(MONGOD_BINARY === undefined ? {} : { MONGOD_BINARY }),
    NODE_COMPILE_CACHE: compiled,
    ...environment,
  };
  return new Promise((resolve, reject) => {
    execFile("bash", ["-c", script], { cwd: folder, env, timeout: 240_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}
