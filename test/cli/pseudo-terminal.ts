import { spawn } from "@lydell/node-pty";
import { dirname } from "node:path";

/** What a program did in a terminal. */
export interface RanInTerminal {
  exitCode: number;
  /** All that the terminal was sent, of both outputs. */
  output: string;
}

/** How a program is run in a terminal. */
export interface TerminalOptions {
  /** The working folder, which is the home too. */
  folder: string;
  environment?: Record<string, string>;
  columns?: number;
  /** What is typed once the output matches. */
  answer?: readonly [RegExp, string];
}

/** Runs a Node.js program to its end in a real pseudo-terminal. */
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
