import type { Interceptor } from "@connectrpc/connect";

/** The options of `runStreamingCall` besides the request. Optional ones must be absent, not undefined. */
export interface CallSettings {
  interceptors: Interceptor[];
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Returns the timeout of a call. As in every Connect transport, a timeout of zero or less means no timeout. */
export function toTimeout(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined || timeoutMs <= 0 ? undefined : timeoutMs;
}

/** Returns the settings of a call with a stream. */
export function callSettings(
  interceptors: readonly Interceptor[],
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): CallSettings {
  const timeout = toTimeout(timeoutMs);
  return {
    interceptors: [...interceptors],
    ...(signal === undefined ? {} : { signal }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}
