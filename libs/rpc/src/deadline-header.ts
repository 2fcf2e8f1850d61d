/** What request headers can be made of. */
export type HeaderSource = ConstructorParameters<typeof Headers>[0];

const name = "grpc-timeout";
const milliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** The request headers of a call, with its deadline when it has one; zero and less means none. */
export function withDeadline(header: HeaderSource, timeoutMs: number | undefined): Headers {
  const result = new Headers(header);
  if (timeoutMs !== undefined && timeoutMs > 0) result.set(name, formatTimeout(timeoutMs));
  return result;
}

/** Whether a call has a deadline, in gRPC's header or Connect's. */
export function hasDeadline(header: Headers): boolean {
  return header.has(name) || header.has("connect-timeout-ms");
}

/** The milliseconds that the gRPC header gives a call; undefined when there is none or it is malformed. */
export function deadlineIn(header: Headers): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(header.get(name) ?? "");
  const unit = milliseconds[match?.[2] ?? ""];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/** gRPC allows eight digits, so beyond 27 hours seconds have to do. */
function formatTimeout(timeoutMs: number): string {
  const rounded = Math.ceil(timeoutMs);
  return rounded < 100_000_000 ? `${rounded}m` : `${Math.min(99_999_999, Math.ceil(rounded / 1_000))}S`;
}
