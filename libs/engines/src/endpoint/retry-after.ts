/** No longer pause is observed: an endpoint whose clock is wrong, or that counts milliseconds, would not be used for years. */
const maxMs = 5 * 60_000;

/**
 * Converts a `Retry-After` header to milliseconds from `now`, five minutes at most: it is a number of seconds, or a date. Returns undefined
 * for a header that is absent or neither of them.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, maxMs);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.min(date - now, maxMs));
}
