import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { createBackoff, reconnectDelays } from "./backoff.ts";
import type { ChannelState } from "./circuit.ts";
import { openSession, type Session } from "./session.ts";
import type { Address } from "./target.ts";

/** A call that was begun on a connection. */
export interface OpenedStream {
  readonly stream: ClientHttp2Stream;
  readonly session: Pick<Session, "getLoss" | "isUnprocessed">;
}

/** Keeps a connection to one server. */
export interface Connection {
  readonly address: Address;
  /** `failed` from a failed attempt until a successful one, however many follow. */
  readonly state: ChannelState;
  /** Why the last attempt failed. */
  readonly error: Error | undefined;
  /** Connects if the connection is idle. */
  connect(): void;
  /** Opens a stream for a call; undefined if that is not possible. Throws a TypeError for headers that HTTP/2 does not allow. */
  open(headers: OutgoingHttpHeaders): OpenedStream | undefined;
  /** Takes no more calls, and closes the connection when those in progress have ended. */
  close(): void;
}

/** How long an attempt may take. Otherwise, the wait for a server that was switched off while it hung would never end. */
const attemptTimeoutMs = 20_000;

/** A connection that is lost is replaced at once, but not earlier than this after it was ready, because a server may close each one at once. */
const minLifetimeMs = 50;

/**
 * Creates the connection to a server. Once it is to connect, it connects again whenever it is lost and `isUsed`: at once, and after
 * an attempt that failed after a short delay. `changed` is called after each change of the state, and `lost` when the connection is lost
 * or an attempt has failed.
 */
export function createConnection(
  address: Address,
  { changed, lost, isUsed }: { changed: () => void; lost: () => void; isUsed: () => boolean },
): Connection {
  const backoff = createBackoff(reconnectDelays);
  let state: ChannelState = "idle";
  let error: Error | undefined;
  let session: Session | undefined;
  let isClosed = false;
  /** Runs until the next attempt. */
  let pause: NodeJS.Timeout | undefined;
  let nextAttemptAt = 0;

  function change(next: ChannelState): void {
    if (state === next) return;
    state = next;
    changed();
  }

  function attempt(): void {
    pause = undefined;
    nextAttemptAt = performance.now() + backoff.next();
    let isReady = false;
    let hasTimedOut = false;
    const opened = openSession(address, {
      ready() {
        isReady = true;
        clearTimeout(limit);
        backoff.reset();
        nextAttemptAt = performance.now() + minLifetimeMs;
        change("ready");
      },
      left(reason) {
        clearTimeout(limit);
        session = undefined;
        if (isClosed) return;
        if (isReady || hasTimedOut) reconnect(state === "failed" ? "failed" : "connecting");
        else {
          error = reason;
          reconnect("failed");
        }
        lost();
      },
    });
    const limit = setTimeout(() => {
      hasTimedOut = true;
      opened.destroy(new Error("The server does not respond."));
    }, attemptTimeoutMs).unref();
    session = opened;
  }

  function reconnect(next: ChannelState): void {
    const isWanted = isUsed();
    if (isWanted) pause = setTimeout(attempt, Math.max(0, nextAttemptAt - performance.now())).unref();
    change(isWanted ? next : "idle");
  }

  return {
    address,
    get state() {
      return state;
    },
    get error() {
      return error;
    },
    connect() {
      if (state !== "idle" || isClosed) return;
      state = "connecting";
      attempt();
      changed();
    },
    open(headers) {
      const current = session;
      const stream = current?.open(headers);
      return current === undefined || stream === undefined ? undefined : { stream, session: current };
    },
    close() {
      isClosed = true;
      clearTimeout(pause);
      session?.retire();
    },
  };
}
