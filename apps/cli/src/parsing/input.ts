/** What was given to a command, checked against its definition. */
export interface Input {
  /** An argument that must be there. */
  argument(name: string): string;
  /** The words of an argument that takes the rest. */
  rest(name: string): readonly string[];
  /** The value of an option, if given; of an argument that may be left out. */
  text(name: string): string | undefined;
  /** The value of an option that must be there. */
  required(name: string): string;
  /** All values of an option that repeats. */
  list(name: string): readonly string[];
  /** Whether a switch is on. */
  on(name: string): boolean;
  /** A whole number, if given. */
  integer(name: string): number | undefined;
}
