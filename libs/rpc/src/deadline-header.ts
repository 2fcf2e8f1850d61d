import { createHeaders, type HeaderSource } from "./call-headers.ts";

const name = "grpc-timeout";
const connectName = "connect-timeout-ms";
const milliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Returns the request headers of a call with its deadline, if it has one. A timeout of zero or less means no deadline. */
export function withDeadline(header: HeaderSource, timeoutMs: number | undefined): Headers {
  const result = createHeaders(header);
  if (timeoutMs !== undefined && timeoutMs > 0) result.set(name, formatTimeout(timeoutMs));
  return result;
}

/** Whether a call has a deadline in the header of gRPC or of Connect. */
export function hasDeadline(header: Headers): boolean {
  return header.has(name) || header.has(connectName);
}

/** Returns the timeout in the gRPC header in milliseconds; undefined if it is missing or malformed. */
export function deadlineIn(header: Headers): number | undefined {
  return parseTimeout(header.get(name) ?? "");
}

/** Returns the timeout in a gRPC header field in milliseconds; undefined if it is malformed. */
export function parseTimeout(text: string): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(text);
  const unit = milliseconds[match?.[2] ?? ""];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/** The maximum delay of a timer in Node.js, in milliseconds. A timer with a longer delay fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Shortens a deadline in request headers to what a timer can wait for, which is more than 24 days. */
export function limitDeadline(header: Headers): void {
  if ((deadlineIn(header) ?? 0) > maxTimerMs) header.set(name, `${Math.floor(maxTimerMs / 1_000)}S`);
  const ofConnect = header.get(connectName) ?? "";
  // Connect allows ten digits, and refuses the call if there are more.
  if (/^\d{1,10}$/.test(ofConnect) && Number(ofConnect) > maxTimerMs) header.set(connectName, String(maxTimerMs));
}

/** Returns a timeout as a gRPC header field, rounded up. gRPC allows eight digits, so timeouts of more than 27 hours are in seconds. */
export function formatTimeout(timeoutMs: number): string {
  const rounded = Math.ceil(timeoutMs);
  return rounded < 100_000_000 ? `${rounded}m` : `${Math.min(99_999_999, Math.ceil(rounded / 1_000))}S`;
}
