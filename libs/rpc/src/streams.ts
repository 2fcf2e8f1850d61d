import { Code, ConnectError } from "@connectrpc/connect";
import { canceled, deadlineExceeded } from "./errors.ts";

/**
 * Passes a stream on and tells once how it ended: `ended()` when it was read to its end or left early, `failed(error)`
 * when it threw, whose result is thrown instead.
 */
export async function* observed<T>(
  stream: AsyncIterable<T>,
  { ended, failed }: { ended: () => void; failed: (error: unknown) => unknown },
): AsyncGenerator<T, void> {
  let threw = false;
  try {
    yield* stream;
  } catch (error) {
    threw = true;
    throw failed(error);
  } finally {
    if (!threw) ended();
  }
}

/** Settles as `promise` does, or rejects with the reason of `signal` as soon as that is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    throw abortReason(signal);
  }
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(abortReason(signal));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Passes a stream on until `signal` is aborted; then reading it rejects at once, also in the middle of a wait. */
export function untilAborted<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            return await unlessAborted(iterator.next(), signal);
          } catch (error) {
            iterator.return?.()?.catch(() => undefined);
            throw error;
          }
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/**
 * The status that says why a call was aborted: one of our own that the signal carries, DeadlineExceeded for a passed
 * deadline, otherwise Canceled, for whatever way a connection ends means that nobody waits any more.
 */
export function abortReason(signal: AbortSignal): ConnectError {
  const reason: unknown = signal.reason;
  if (!(reason instanceof ConnectError)) return canceled();
  if (reason.details.length > 0) return reason;
  return reason.code === Code.DeadlineExceeded ? deadlineExceeded() : canceled();
}
