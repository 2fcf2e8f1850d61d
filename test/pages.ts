import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { compiled, root } from "./processes.ts";

/** A block of code of a page. */
export interface Block {
  /** What stands after its backticks; "" for what a program printed. */
  readonly language: string;
  readonly text: string;
}

/** The blocks of code of a Markdown page, in their order. */
export function getBlocks(page: string): Block[] {
  return [...page.matchAll(/^ *```(\w*)\n([^]*?)^ *```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/**
 * Runs a script in bash as somebody who pastes it, in the root of the workspace unless another folder is named; throws with all that
 * it printed when it fails.
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
