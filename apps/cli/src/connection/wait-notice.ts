import type { ApiError, ConnectionError } from "@switchyard/client";
import { printable } from "@switchyard/terminal";
import { getMessage } from "../terminal/error-text.ts";
import type { Io } from "../terminal/io.ts";

/** The shortest wait that is printed, in milliseconds. */
const noticedWaitMs = 2_000;

/** Creates a function that prints a long wait before another attempt, and its reason, on standard error: once for simultaneous calls. */
export function createWaitNotice(stderr: Io["stderr"]): (failure: ApiError | ConnectionError, delayMs: number) => void {
  let waitsUntil = 0;
  return (failure, delayMs) => {
    if (delayMs < noticedWaitMs || Date.now() < waitsUntil) return;
    waitsUntil = Date.now() + delayMs;
    // A progress bar may be in the line.
    const start = stderr.isTerminal ? "\r\u001b[2K" : "";
    stderr.write(
      `${start}waiting ${Math.ceil(delayMs / 1000)} s before another attempt: ${printable(getMessage(failure))}\n`,
    );
  };
}
