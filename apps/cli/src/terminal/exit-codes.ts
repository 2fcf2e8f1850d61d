import { ApiError, ConnectionError, InvalidRequestError } from "@switchyard/client";

/** The exit codes of the command line. */
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
  gateFailed: 9,
  interrupted: 130,
} as const;

/** The meanings of the exit codes, for the documentation. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, "done"],
  [exitCodes.error, "error"],
  [exitCodes.usage, "usage error: an unknown option or argument, or a question that requires a terminal"],
  [exitCodes.notAuthenticated, "not authenticated: the token is missing or invalid"],
  [exitCodes.forbidden, "the token lacks a permission, or has no access"],
  [exitCodes.notFound, "not found"],
  [exitCodes.conflict, "conflict with the current state"],
  [exitCodes.unavailable, "the server is unreachable or unavailable"],
  [exitCodes.unclassified, "a document is UNCLASSIFIED (with --fail-on-unclassified)"],
  [exitCodes.gateFailed, "a benchmark run does not pass its gate"],
  [exitCodes.interrupted, "interrupted"],
];

/** An error in the way a command was called. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A failure with its own exit code. */
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
  [412, exitCodes.conflict],
  [429, exitCodes.unavailable],
  [502, exitCodes.unavailable],
  [503, exitCodes.unavailable],
  [504, exitCodes.unavailable],
]);

/** Returns the exit code of any error; unknown errors have the code 1. */
export function getExitCode(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof UsageError || error instanceof InvalidRequestError) return exitCodes.usage;
  if (error instanceof ApiError) return byStatus.get(error.status) ?? exitCodes.error;
  return error instanceof ConnectionError ? exitCodes.unavailable : exitCodes.error;
}
