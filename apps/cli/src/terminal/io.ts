import { addAbortSignal, type Readable } from "node:stream";

/** A stream that the command line writes to. */
export interface Output {
  write(text: string | Uint8Array): void;
  /** Resolves when more can be written without being kept in memory. */
  ready(): Promise<void>;
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Whether another program reads the output. That program may print to the same terminal. */
  readonly isPiped: boolean;
  /** The width in columns; undefined if unknown. */
  readonly columns: number | undefined;
}

/** The command line's access to its environment. Tests provide their own. */
export interface Io {
  readonly stdin: { readonly isTerminal: boolean; readonly stream: NodeJS.ReadStream | NodeJS.ReadableStream };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** The user's home folder. */
  readonly home: string;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}

/** Whether an output supports colors: a terminal does, unless NO_COLOR is set or TERM is `dumb`. */
export function supportsColor(output: Output, environment: Io["environment"]): boolean {
  return output.isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}

/** Standard input, to be read as a whole. Reading fails when the user interrupts the command: a terminal may never end its input. */
export function readInput({ stdin, signal }: Pick<Io, "stdin" | "signal">): AsyncIterable<unknown> {
  return addAbortSignal(signal, stdin.stream as Readable);
}
