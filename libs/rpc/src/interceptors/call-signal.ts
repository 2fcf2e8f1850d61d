import type { Interceptor } from "@connectrpc/connect";
import { AsyncLocalStorage } from "node:async_hooks";
import { withReads } from "../streams.ts";

interface CurrentCall {
  /** The signal. Undefined after the handler has ended, so that its background work continues. */
  signal: AbortSignal | undefined;
}

const calls = new AsyncLocalStorage<CurrentCall>();

/** Returns the signal of the current call, which is aborted when the client no longer waits. Undefined outside of handlers. */
export function currentSignal(): AbortSignal | undefined {
  return calls.getStore()?.signal;
}

/** Makes `currentSignal` available to handlers. Must be the innermost interceptor, so that it ends with the handler. */
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

/** Wraps a stream so that it is read in the context of a call. */
function within<T>(call: CurrentCall, stream: AsyncIterable<T>, ended: () => void): AsyncIterable<T> {
  return withReads(stream, {
    async next(iterator) {
      try {
        const result = await calls.run(call, () => iterator.next());
        if (result.done === true) ended();
        return result;
      } catch (error) {
        ended();
        throw error;
      }
    },
    async close(iterator) {
      await calls.run(call, async () => iterator.return?.());
      ended();
    },
  });
}
