/** One thing that is wrong with a request: which field, as its JSON path, and why. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}
