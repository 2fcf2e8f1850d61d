import type { Io } from "./io.ts";

/** A progress bar. */
export interface Progress {
  update(done: number, note: string): void;
  /** Removes the bar. */
  end(): void;
}

const width = 30;

/**
 * Creates a progress bar on standard error. Nothing is written if that is not a terminal, or if another program reads standard output,
 * because it may print rows to the same terminal.
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
