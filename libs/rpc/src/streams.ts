import { Code, ConnectError } from "@connectrpc/connect";
import { canceled, deadlineExceeded } from "./errors.ts";

/**
 * Wraps a stream and reports its end exactly once: with `ended()` if it was read to its end or abandoned, and with `failed(error)` if it
 * threw. The result of `failed` is thrown instead of the error.
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

/** Settles like `promise`, or rejects with `abortReason` as soon as `signal` is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Every call goes through this function, and `Promise.race` would take several times as long.
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortReason(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener("abort", stop);
        resolve(value);
      },
      (error: Error) => {
        signal.removeEventListener("abort", stop);
        reject(error);
      },
    );
  });
}

/** Wraps a stream: `next` reads a value from its iterator, and `close` is called if the reader stops before the end. */
export function withReads<T>(
  stream: AsyncIterable<T>,
  {
    next,
    close,
  }: {
    next: (iterator: AsyncIterator<T>) => Promise<IteratorResult<T>>;
    close: (iterator: AsyncIterator<T>) => Promise<unknown>;
  },
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        next: () => next(iterator),
        async return() {
          await close(iterator);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Wraps a stream so that reading it rejects as soon as `signal` is aborted, even during a pending read. */
export function untilAborted<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  return withReads(stream, {
    async next(iterator) {
      try {
        return await unlessAborted(iterator.next(), signal);
      } catch (error) {
        iterator.return?.()?.catch(() => undefined);
        throw error;
      }
    },
    close: async (iterator) => iterator.return?.(),
  });
}

/**
 * Returns the status of an aborted call: the reason of the signal if it is a status with details, DeadlineExceeded if the deadline has
 * passed, and otherwise Canceled, because the client no longer waits however its connection ended.
 */
export function abortReason(signal: AbortSignal): ConnectError {
  const reason: unknown = signal.reason;
  if (!(reason instanceof ConnectError)) return canceled();
  if (reason.details.length > 0) return reason;
  return reason.code === Code.DeadlineExceeded ? deadlineExceeded() : canceled();
}
