import type { Interceptor, Transport } from "@connectrpc/connect";
import { carryStream } from "./calls/stream.ts";
import { createResponseDecoder } from "./calls/messages.ts";
import { carryUnary } from "./calls/unary.ts";
import { createConnections } from "./connections/connections.ts";
import { type Lookup, systemLookup } from "./connections/resolver.ts";
import { parseTarget } from "./connections/target.ts";
import { createTransport } from "./transport.ts";

/**
 * Creates a transport to another process over gRPC. `target` is `host:port`, `dns:///host:port`, or `ipv4:address:port,address:port`; see
 * `parseTarget`. Calls are distributed round-robin over all addresses, and broken connections are re-established. Idempotent methods are
 * retried while the service is Unavailable. Calls to a service that hangs fail with Unavailable, however long calls to others may take.
 * The transport connects with the first call; `close` closes the connections. Throws a TypeError for an invalid target.
 */
export function createChannelTransport(options: {
  target: string;
  interceptors?: readonly Interceptor[];
  /** Resolves names. The default is the resolver of the operating system. */
  lookup?: Lookup;
}): Transport & { close(): void } {
  const { target, interceptors = [], lookup = systemLookup } = options;
  const connections = createConnections(parseTarget(target), lookup);
  const decode = createResponseDecoder();
  const transport = createTransport(
    "http://channel",
    interceptors,
    (call) => carryStream(connections, decode, call),
    (call) => carryUnary(connections, decode, call),
  );
  return { ...transport, close: () => connections.close() };
}
