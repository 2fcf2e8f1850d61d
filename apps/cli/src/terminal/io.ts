/** A stream that the command line writes to. */
export interface Output {
  write(text: string | Uint8Array): void;
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
  /** Whether another program reads it. What that prints may come to the same terminal as ours. */
  readonly isPiped: boolean;
  /** How wide it is; undefined when not known. */
  readonly columns: number | undefined;
}

/** All that the command line has of the world around it, so that tests can be that world. */
export interface Io {
  readonly stdin: { readonly isTerminal: boolean; readonly stream: NodeJS.ReadStream | NodeJS.ReadableStream };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** The user's home folder. */
  readonly home: string;
  /** Aborted when the user wants no more. */
  readonly signal: AbortSignal;
}

/** Whether an output takes colours: a terminal does, unless NO_COLOR is set or it is a dumb one. */
export function takesColor(output: Output, environment: Io["environment"]): boolean {
  return output.isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
