import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";
import type { Call } from "./call.ts";
import { mayRetry, retryDelayMs } from "./retry.ts";

/** Called before a client waits to retry a call: with the reason, and for how many milliseconds. */
export type RetryListener = (failure: ApiError | ConnectionError, delayMs: number) => void;

/** An attempt at a call. It ends with the timeout or with the caller's signal. */
export interface Attempt {
  /** Aborted when the attempt ends. */
  readonly signal: AbortSignal;
  /** Restarts the timeout. */
  restart(): void;
  /** Pauses the timeout until it is restarted. */
  pause(): void;
  /** Converts an error of fetch to an error of this client. Throws the reason of the caller's signal if that ended the attempt. */
  failure(error: unknown): ConnectionError;
  /** Ends the attempt and everything in progress. */
  end(): void;
}

/** Starts an attempt. Throws the reason of a signal that is already aborted. */
export function startAttempt(url: string, timeoutMs: number, signal: AbortSignal | undefined): Attempt {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const abort = (): void => ending.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const pause = (): void => clearTimeout(timer);
  const restart = (): void => {
    pause();
    // A longer timer, such as one of Infinity, would end at once.
    if (timeoutMs <= maxTimerMs) timer = setTimeout(() => ending.abort(timedOut), timeoutMs);
  };
  restart();
  return {
    signal: ending.signal,
    restart,
    pause,
    failure(error) {
      // This is how fetch reports that the connection failed. Aborting it then can throw outside of the call, while it still reads a form.
      isOver = error instanceof TypeError;
      if (signal?.aborted === true) throw signal.reason;
      const { origin } = new URL(url);
      if (ending.signal.reason === timedOut)
        return new TimeoutError(`no response from ${origin} within ${timeoutMs / 1000} s`);
      return new ConnectionError(`no connection to ${origin}: ${innermost(error)}`, { cause: error });
    },
    end() {
      pause();
      signal?.removeEventListener("abort", abort);
      if (!isOver) ending.abort();
    },
  };
}

const timedOut = new Error("timed out");
/** The longest time that a timer can wait, in milliseconds: 25 days. */
const maxTimerMs = 2 ** 31 - 1;

/** Returns the innermost cause, because fetch itself only reports that it failed. */
function innermost(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  if (cause instanceof AggregateError && cause.errors.length > 0) cause = cause.errors[0];
  return cause instanceof Error ? cause.message || ((cause as { code?: string }).code ?? cause.name) : String(cause);
}

/**
 * Tells the listener, and waits before the attempt after this one (0 is the first). If there may be none, throws the failure, or the
 * reason of the caller's signal if that is aborted while it waits.
 */
export async function waitToRetry(
  call: Pick<Call, "method">,
  failure: ApiError | ConnectionError,
  attempt: number,
  options: {
    readonly retries: number;
    readonly signal: AbortSignal | undefined;
    readonly hasKey: boolean;
    readonly onRetry?: RetryListener | undefined;
  },
): Promise<void> {
  const hasResponse = failure instanceof ApiError;
  const delayMs =
    attempt < options.retries && mayRetry(call, hasResponse ? failure : "no response", options.hasKey)
      ? retryDelayMs(attempt, hasResponse ? failure.headers.get("retry-after") : null, Math.random(), Date.now())
      : undefined;
  if (delayMs === undefined) throw failure;
  options.onRetry?.(failure, delayMs);
  await wait(delayMs, options.signal);
}

/** Resolves after a time. Rejects with the reason of the signal if that is aborted before. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's, whatever it is
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
