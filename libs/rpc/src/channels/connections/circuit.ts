/** A circuit breaker of a channel. It is open while the peer accepts connections but does not respond on any of them. */
export interface Circuit {
  readonly isOpen: boolean;
  /** To be called with the state of the channel whenever it may have changed. */
  update(state: ChannelState): void;
}

/** `ready` if a server can be called, `connecting` if calls must wait, and `failed` if no server can be reached. */
export type ChannelState = "idle" | "connecting" | "ready" | "failed";

/**
 * How long a channel may take to establish a connection. A peer that hangs still accepts connections in its kernel, but sends no HTTP/2
 * settings.
 */
const connectTimeoutMs = 800;

/**
 * Creates the circuit breaker of a channel. Connections whose pings are not acknowledged are closed, and the channel keeps trying to connect.
 * The circuit opens when that takes too long, which calls `opened`, and closes as soon as the channel has connected. It does not depend on
 * how long calls take.
 */
export function createCircuit(opened: () => void): Circuit {
  let isOpen = false;
  let last: ChannelState = "idle";
  let timer: NodeJS.Timeout | undefined;
  function open(): void {
    isOpen = true;
    opened();
  }
  return {
    get isOpen() {
      return isOpen;
    },
    update(state) {
      if (state === last) return;
      last = state;
      clearTimeout(timer);
      if (state === "ready" || state === "failed") isOpen = false;
      if (state !== "connecting" || isOpen) return;
      // In two steps, so that a connection that was established while this process was busy is noticed in between.
      const half = connectTimeoutMs / 2;
      timer = setTimeout(() => (timer = setTimeout(open, half).unref()), half).unref();
    },
  };
}
