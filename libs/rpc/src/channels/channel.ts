import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createLinkedAbortController } from "@connectrpc/connect/protocol";
import { Client, credentials } from "@grpc/grpc-js";
import { carryOverChannel } from "./channel-call.ts";
import { carryUnary } from "./channel-unary.ts";
import { channelOptions } from "./channel-options.ts";
import { type Circuit, createCircuit, type Fail } from "./circuit.ts";
import { createTransport } from "./transport.ts";

/**
 * Creates a transport to another process over gRPC. `target` is a grpc-js target, such as `host:port`, `dns:///name:port` or
 * `ipv4:address:port,address:port`. Calls are distributed round-robin over all addresses, and broken connections are re-established.
 * Idempotent methods are retried while the service is Unavailable. Calls to a service that hangs fail with Unavailable, however long calls
 * to others may take. The transport connects with the first call; `close` closes the connections.
 */
export function createChannelTransport(options: {
  target: string;
  interceptors?: readonly Interceptor[];
}): Transport & { close(): void } {
  // The retry policy of grpc-js applies to a channel, so idempotent and other methods have one each.
  const peers = new Map<boolean, { client: Client; circuit: Circuit }>();
  function getPeer(retries: boolean): { client: Client; circuit: Circuit } {
    const known = peers.get(retries);
    if (known !== undefined) return known;
    const client = new Client(options.target, credentials.createInsecure(), channelOptions({ retries }));
    const peer = { client, circuit: createCircuit(client.getChannel()) };
    peers.set(retries, peer);
    return peer;
  }
  // A call that waits for a connection is guarded. Once its response has begun, it is on a connection, and is not retried.
  function getGuardedClient(method: DescMethod): { client: Client; guard: (fail: Fail) => () => void } {
    const retries = isIdempotent(method);
    const { client, circuit } = getPeer(retries);
    return { client, guard: (fail) => circuit.guard(retries, fail) };
  }
  const transport = createTransport(
    "http://channel",
    options.interceptors ?? [],
    async (call) => {
      const { client, guard } = getGuardedClient(call.method);
      const controller = createLinkedAbortController(call.signal);
      const release = guard((error) => controller.abort(error));
      return carryOverChannel(client, { ...call, signal: controller.signal }).finally(release);
    },
    (call) => {
      const { client, guard } = getGuardedClient(call.method);
      return carryUnary(client.getChannel(), call, guard);
    },
  );
  return {
    ...transport,
    close() {
      for (const { client } of peers.values()) client.close();
    },
  };
}

/** Returns whether the contract declares the method idempotent, so that its calls can be retried. */
export function isIdempotent(method: DescMethod): boolean {
  return method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}
