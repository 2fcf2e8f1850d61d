/**
 * Converts a `Retry-After` header to milliseconds from `now`: it is a number of seconds, or a date. Returns undefined for a header that is
 * absent or neither of them.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
