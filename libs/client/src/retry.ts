import type { Call } from "./call.ts";

/** What a failed attempt was: a status, or no answer at all. */
export type Failure = { readonly status: number } | "no answer";

/** The longest that a server may ask to be left alone before the error is the caller's, in milliseconds. */
export const maxRetryAfterMs = 60_000;

/**
 * Whether asking again can do no harm and may help. A 429 was refused before anything happened, so any call may follow it. A
 * call without an answer, or with one that says "not now", is repeated when it only reads, or when it carries an idempotency
 * key. Nothing else is, least of all a 409.
 */
export function mayRetry(call: Pick<Call, "method">, failure: Failure, hasIdempotencyKey: boolean): boolean {
  if (failure !== "no answer" && failure.status === 429) return true;
  const safe = call.method === "GET" || (call.method === "POST" && hasIdempotencyKey);
  return safe && (failure === "no answer" || passing.has(failure.status));
}

// Of the server or what is before it, and not of the request.
const passing: ReadonlySet<number> = new Set([408, 502, 503, 504]);

/**
 * How long to wait before the attempt after this one (0 is the first), in milliseconds: what Retry-After asks for, else between
 * half and all of 250 ms, doubled with each attempt, at most 8 s. Undefined when the server asks for more than a client waits.
 * `random` is from 0 to 1, `now` in milliseconds.
 */
export function retryDelayMs(
  attempt: number,
  retryAfter: string | null,
  random: number,
  now: number,
): number | undefined {
  const asked = retryAfterMs(retryAfter, now);
  if (asked !== undefined) return asked <= maxRetryAfterMs ? asked : undefined;
  return Math.min(250 * 2 ** attempt, 8_000) * (0.5 + random / 2);
}

/** The time of a Retry-After header in milliseconds from now: of seconds, or of a date; undefined where it is neither. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
