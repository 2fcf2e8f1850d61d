import type { Interceptor } from "@connectrpc/connect";
import { AsyncLocalStorage } from "node:async_hooks";

interface CurrentCall {
  /** Undefined once its handler has ended: what it began in the background goes on without it. */
  signal: AbortSignal | undefined;
}

const calls = new AsyncLocalStorage<CurrentCall>();

/** The signal of the call whose handler runs here: aborted when nobody waits for the answer any more. Undefined outside of handlers. */
export function currentSignal(): AbortSignal | undefined {
  return calls.getStore()?.signal;
}

/** Lets whatever a handler calls ask for `currentSignal`. It belongs next to the handler, so that it ends when that does. */
export function callSignalInterceptor(): Interceptor {
  return (next) => async (request) => {
    const call: CurrentCall = { signal: request.signal };
    const ended = (): void => {
      call.signal = undefined;
    };
    try {
      const response = await calls.run(call, () => next(request));
      if (response.stream) return { ...response, message: within(call, response.message, ended) };
      ended();
      return response;
    } catch (error) {
      ended();
      throw error;
    }
  };
}

/** A stream that is read within a call. */
function within<T>(call: CurrentCall, stream: AsyncIterable<T>, ended: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await calls.run(call, () => iterator.next());
            if (result.done === true) ended();
            return result;
          } catch (error) {
            ended();
            throw error;
          }
        },
        async return() {
          await calls.run(call, async () => iterator.return?.());
          ended();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
