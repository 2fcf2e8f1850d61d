import type { ChannelInterface } from "@grpc/grpc-js";
import { connectivityState as State } from "@grpc/grpc-js";
import { unavailable } from "../errors.ts";

/**
 * How long a channel may take to establish a connection. A peer that hangs still accepts connections in its kernel, but sends no HTTP/2
 * settings.
 */
const connectTimeoutMs = 800;

/** A circuit breaker of a channel. It is open while the peer accepts connections but does not respond on any of them. */
export interface Circuit {
  /**
   * Fails a call with Unavailable: throws if the circuit is open, and calls `fail` if it opens while the call waits for a connection.
   * Returns a function that must be called when the call no longer waits.
   */
  guard(isRetried: boolean, fail: Fail): () => void;
}

/** Ends a call with an error. */
export type Fail = (error: Error) => void;

/**
 * Creates the circuit breaker of a channel. The channel itself closes connections whose pings are not acknowledged, and keeps trying to
 * connect. The circuit opens when that takes too long, and closes as soon as the channel has connected. It does not depend on how long
 * calls take.
 */
export function createCircuit(channel: ChannelInterface): Circuit {
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** The calls that may be waiting for a connection, and whether the channel retries them. */
  const waiting = new Map<Fail, { isRetried: boolean; wasConnected: boolean }>();

  function open(): void {
    isOpen = true;
    for (const [fail, { isRetried, wasConnected }] of waiting) {
      // A call that is not retried stays on the connection on which it began, which ends by itself if its pings are not acknowledged.
      if (isRetried || !wasConnected) fail(unreachable());
    }
  }

  function watch(): void {
    const state = channel.getConnectivityState(isOpen);
    clearTimeout(timer);
    if (state === State.SHUTDOWN) return;
    if (state === State.READY || state === State.TRANSIENT_FAILURE) isOpen = false;
    else if (state === State.CONNECTING && !isOpen) {
      // In two steps, so that a connection that was established while this process was busy is noticed in between.
      timer = setTimeout(() => (timer = setTimeout(open, connectTimeoutMs / 2)), connectTimeoutMs / 2);
    }
    channel.watchConnectivityState(state, Infinity, watch);
  }
  watch();

  return {
    guard(isRetried, fail) {
      if (isOpen) throw unreachable();
      waiting.set(fail, { isRetried, wasConnected: channel.getConnectivityState(false) === State.READY });
      return () => void waiting.delete(fail);
    },
  };
}

/** Returns the error of a call to a peer that hangs. The pushback metadata asks callers not to retry. */
function unreachable(): Error {
  const error = unavailable("UNAVAILABLE", "The service does not respond.");
  error.metadata.set("grpc-retry-pushback-ms", "-1");
  return error;
}
