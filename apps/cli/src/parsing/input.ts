/** The arguments and options of a command, checked against its definition. */
export interface Input {
  /** Returns a required argument. */
  argument(name: string): string;
  /** Returns the words of an argument that takes the rest. */
  rest(name: string): readonly string[];
  /** Returns the value of an option or of an optional argument, if given. */
  text(name: string): string | undefined;
  /** Returns the value of a required option. */
  required(name: string): string;
  /** Returns all values of an option that may be repeated. */
  list(name: string): readonly string[];
  /** Whether a switch is on. */
  on(name: string): boolean;
  /** Returns the value of an option as a whole number, if given. */
  integer(name: string): number | undefined;
}
