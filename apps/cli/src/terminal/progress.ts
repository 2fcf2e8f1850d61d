import type { Io } from "./io.ts";

/** A bar that people watch while much is done. */
export interface Progress {
  update(done: number, note: string): void;
  /** Takes the bar away. */
  end(): void;
}

const width = 30;

/**
 * A bar on standard error. Nothing is ever written where that is no terminal, nor where another program reads standard output: it may
 * print the rows to the same terminal, and the bar would stand among them.
 */
export function createProgress({ stdout, stderr: output }: Pick<Io, "stdout" | "stderr">, total: number): Progress {
  if (!output.isTerminal || stdout.isPiped) return { update: () => undefined, end: () => undefined };
  return {
    update(done, note) {
      const filled = total === 0 ? width : Math.round((done / total) * width);
      const line = `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${done}/${total}${note === "" ? "" : `  ${note}`}`;
      output.write(`\r\u001b[2K${line.slice(0, (output.columns ?? 80) - 1)}`);
    },
    end: () => output.write("\r\u001b[2K"),
  };
}
