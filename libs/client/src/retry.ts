import type { Call } from "./call.ts";

/** The failure of an attempt: a status, or no response. */
export type Failure = { readonly status: number } | "no response";

/** The maximum delay that a server may request before the error is passed to the caller, in milliseconds. */
const maxRetryAfterMs = 60_000;

/**
 * Whether a retry is safe and may succeed. A 429 was rejected before it had any effect, so every call is retried. A call without a
 * response, or with a temporary failure, is retried if it only reads or has an idempotency key. Nothing else is retried, in particular not
 * a 409.
 */
export function mayRetry(call: Pick<Call, "method">, failure: Failure, hasIdempotencyKey: boolean): boolean {
  if (failure !== "no response" && failure.status === 429) return true;
  const isSafe = call.method === "GET" || (call.method === "POST" && hasIdempotencyKey);
  return isSafe && (failure === "no response" || temporaryStatuses.has(failure.status));
}

// The statuses of temporary failures of the server or of a proxy.
const temporaryStatuses: ReadonlySet<number> = new Set([408, 502, 503, 504]);

/**
 * Returns the delay before the attempt after this one (0 is the first), in milliseconds: the value of Retry-After, or else a random time
 * between half and all of 250 ms, doubled with each attempt, of at most 8 s. Undefined if the server requests a longer delay than a client
 * waits. `random` is from 0 to 1, and `now` in milliseconds.
 */
export function retryDelayMs(
  attempt: number,
  retryAfter: string | null,
  random: number,
  now: number,
): number | undefined {
  const requestedMs = retryAfterMs(retryAfter, now);
  if (requestedMs !== undefined) return requestedMs <= maxRetryAfterMs ? requestedMs : undefined;
  return Math.min(250 * 2 ** attempt, 8_000) * (0.5 + random / 2);
}

/** Parses a Retry-After header, which contains seconds or a date, to milliseconds from now; undefined if it is invalid. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
