import { ApiError, ConnectionError, InvalidRequestError } from "@switchyard/client";

/** How the command line ends. */
export const exitCodes = {
  done: 0,
  error: 1,
  usage: 2,
  notAuthenticated: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
  unavailable: 7,
  unclassified: 8,
  interrupted: 130,
} as const;

/** What each exit code means, for the documentation. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, "done"],
  [exitCodes.error, "error"],
  [
    exitCodes.usage,
    "the command is not one: a wrong option or argument, or a question that cannot be asked without a terminal",
  ],
  [exitCodes.notAuthenticated, "not authenticated: no token, or one that is not valid"],
  [exitCodes.forbidden, "the token may not do this"],
  [exitCodes.notFound, "there is no such thing"],
  [exitCodes.conflict, "what is there stands against it"],
  [exitCodes.unavailable, "the server cannot be reached, or cannot answer now"],
  [exitCodes.unclassified, "a document is UNCLASSIFIED, with --fail-on-unclassified"],
  [exitCodes.interrupted, "interrupted"],
];

/** A command that is not one. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A failure that was told already, or that has a code of its own. */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const byStatus: ReadonlyMap<number, number> = new Map([
  [401, exitCodes.notAuthenticated],
  [403, exitCodes.forbidden],
  [404, exitCodes.notFound],
  [408, exitCodes.unavailable],
  [409, exitCodes.conflict],
  [410, exitCodes.notFound],
  [429, exitCodes.unavailable],
  [502, exitCodes.unavailable],
  [503, exitCodes.unavailable],
  [504, exitCodes.unavailable],
]);

/** The exit code of an error. Total: what is not known is an error like any other. */
export function getExitCode(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof UsageError || error instanceof InvalidRequestError) return exitCodes.usage;
  if (error instanceof ApiError) return byStatus.get(error.status) ?? exitCodes.error;
  return error instanceof ConnectionError ? exitCodes.unavailable : exitCodes.error;
}
