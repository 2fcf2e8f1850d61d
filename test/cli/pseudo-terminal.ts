import { spawn } from "@lydell/node-pty";
import { dirname } from "node:path";

/** The exit code and the output of a program in a terminal. */
export interface RanInTerminal {
  exitCode: number;
  /** Everything that was sent to the terminal, from stdout and stderr. */
  output: string;
}

/** Options for running a program in a terminal. */
export interface TerminalOptions {
  /** The working folder, and the home folder. */
  folder: string;
  environment?: Record<string, string>;
  columns?: number;
  /** The text that is typed when the output matches. */
  answer?: readonly [RegExp, string];
}

/** Runs a Node.js program in a pseudo-terminal until it ends. */
export async function runInTerminal(
  file: string,
  argv: readonly string[],
  { folder, environment = {}, columns = 150, answer }: TerminalOptions,
): Promise<RanInTerminal> {
  const env = { PATH: dirname(process.execPath), HOME: folder, TERM: "xterm-256color", ...environment };
  const terminal = spawn(process.execPath, [file, ...argv], { cols: columns, rows: 40, cwd: folder, env });
  let output = "";
  let typed = false;
  terminal.onData((data) => {
    output += data;
    if (answer === undefined || typed || !answer[0].test(output)) return;
    typed = true;
    terminal.write(answer[1]);
  });
  const exitCode = await new Promise<number>((resolve) => terminal.onExit((ended) => resolve(ended.exitCode)));
  return { exitCode, output };
}
