import type { Interceptor } from "@connectrpc/connect";

/** What `runUnaryCall` and `runStreamingCall` are told besides the request; absent is absent there, not undefined. */
export interface CallSettings {
  interceptors: Interceptor[];
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The settings of one call; as in every Connect transport, a timeout of zero and less means none. */
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
