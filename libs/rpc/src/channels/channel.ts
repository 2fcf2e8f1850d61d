import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { Client, credentials } from "@grpc/grpc-js";
import { carryOverChannel } from "./channel-call.ts";
import { channelOptions } from "./channel-options.ts";
import { createTransport } from "./transport.ts";

/**
 * Creates a transport to another process over gRPC. `target` is a grpc-js target, such as `host:port`, `dns:///name:port` or
 * `ipv4:address:port,address:port`. Calls are distributed round-robin over all addresses, and broken connections are re-established.
 * Idempotent methods are retried while the service is Unavailable. The transport connects with the first call; `close` closes the
 * connections.
 */
export function createChannelTransport(options: {
  target: string;
  interceptors?: readonly Interceptor[];
}): Transport & { close(): void } {
  // The retry policy of grpc-js applies to a channel, so idempotent and other methods have one each.
  const clients: Record<"idempotent" | "other", Client | undefined> = { idempotent: undefined, other: undefined };
  function clientFor(method: DescMethod): Client {
    const kind = isIdempotent(method) ? "idempotent" : "other";
    return (clients[kind] ??= new Client(
      options.target,
      credentials.createInsecure(),
      channelOptions({ retries: kind === "idempotent" }),
    ));
  }
  const transport = createTransport("http://channel", options.interceptors ?? [], (call) =>
    carryOverChannel(clientFor(call.method), call),
  );
  return {
    ...transport,
    close() {
      clients.idempotent?.close();
      clients.other?.close();
    },
  };
}

/** Returns whether the contract declares the method idempotent, so that its calls can be retried. */
export function isIdempotent(method: DescMethod): boolean {
  return method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}
