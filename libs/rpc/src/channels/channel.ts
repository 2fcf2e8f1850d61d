import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { Client, credentials } from "@grpc/grpc-js";
import { carryOverChannel } from "./channel-call.ts";
import { channelOptions } from "./channel-options.ts";
import { createTransport } from "./transport.ts";

/**
 * A transport to another process over gRPC. `target` is any that grpc-js takes: `host:port`, `dns:///name:port`,
 * `ipv4:address:port,address:port`; calls go to all addresses in turn, and connections are made again by themselves.
 * Methods whose contract has an idempotency level are retried while the service is Unavailable. Nothing connects
 * before the first call; `close` ends the connections.
 */
export function createChannelTransport(options: {
  target: string;
  interceptors?: readonly Interceptor[];
}): Transport & { close(): void } {
  // grpc-js has its retry policy by channel, so calls that may be repeated and those that may not have one each.
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

/** Whether the contract allows to make a call of this method twice. */
export function isIdempotent(method: DescMethod): boolean {
  return method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}
