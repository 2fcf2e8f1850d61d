/** The values from which request headers can be created. */
export type HeaderSource = ConstructorParameters<typeof Headers>[0];

const name = "grpc-timeout";
const milliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Returns the request headers of a call with its deadline, if it has one. A timeout of zero or less means no deadline. */
export function withDeadline(header: HeaderSource, timeoutMs: number | undefined): Headers {
  const result = new Headers(header);
  if (timeoutMs !== undefined && timeoutMs > 0) result.set(name, formatTimeout(timeoutMs));
  return result;
}

/** Whether a call has a deadline in the header of gRPC or of Connect. */
export function hasDeadline(header: Headers): boolean {
  return header.has(name) || header.has("connect-timeout-ms");
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

/** gRPC allows eight digits, so timeouts of more than 27 hours are in seconds. */
function formatTimeout(timeoutMs: number): string {
  const rounded = Math.ceil(timeoutMs);
  return rounded < 100_000_000 ? `${rounded}m` : `${Math.min(99_999_999, Math.ceil(rounded / 1_000))}S`;
}
