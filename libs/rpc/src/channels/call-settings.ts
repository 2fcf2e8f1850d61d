import type { Interceptor } from "@connectrpc/connect";

/** The options of `runUnaryCall` and `runStreamingCall` besides the request. Optional ones must be absent, not undefined. */
export interface CallSettings {
  interceptors: Interceptor[];
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Returns the settings of a call. As in every Connect transport, a timeout of zero or less means no timeout. */
export function callSettings(
  interceptors: readonly Interceptor[],
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): CallSettings {
  return {
    interceptors: [...interceptors],
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined || timeoutMs <= 0 ? {} : { timeoutMs }),
  };
}
