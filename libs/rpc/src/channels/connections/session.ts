import { type ClientHttp2Stream, connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { connect as openSocket } from "node:net";
import { flowControlWindowBytes } from "../transfer-limits.ts";
import { createPings } from "./pings.ts";
import type { Address } from "./target.ts";

/** An HTTP/2 connection to a server, from the first attempt to reach it to the end of its last call. */
export interface Session {
  /**
   * Opens a stream for a call. Returns undefined if the connection takes no more calls, which has been or is being reported.
   * Throws a TypeError for headers that HTTP/2 does not allow.
   */
  open(headers: OutgoingHttpHeaders): ClientHttp2Stream | undefined;
  /** Returns why the connection was lost, if it was, so that its calls ended with it. */
  getLoss(): Error | undefined;
  /** Whether the server has announced that it has not processed, and will not process, a call. */
  isUnprocessed(stream: ClientHttp2Stream): boolean;
  /** Takes no more calls, and closes the connection when those in progress have ended. */
  retire(): void;
  /** Closes the connection at once. Its calls end. */
  destroy(error: Error): void;
}

/** The events of a session. */
export interface SessionEvents {
  /** The server has sent its settings, so calls can be made. A server that hangs accepts connections, but does not send them. */
  ready(): void;
  /** The session takes no more calls: it could not connect, is lost, or the server has asked for that. Called exactly once. */
  left(error: Error): void;
}

/**
 * Connects to a server. An open connection keeps the process alive only while it has calls. The IDs of its streams are odd numbers below
 * 2^31; it is left before they end, at `maxStreamId`.
 */
export function openSession(
  address: Address,
  events: SessionEvents,
  { maxStreamId = 2 ** 31 - 2 ** 16 }: { maxStreamId?: number } = {},
): Session {
  const socket = openSocket({ host: address.host, port: address.port, noDelay: true });
  const session = connect("http://channel", {
    createConnection: () => socket,
    settings: { initialWindowSize: flowControlWindowBytes, enablePush: false },
    // These limits would fail calls that the limit of a message permits.
    maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
    maxSessionMemory: Number.MAX_SAFE_INTEGER,
  });
  session.unref();
  const streams = new Set<ClientHttp2Stream>();
  let lastProcessedId = Infinity;
  let hasLeft = false;
  let failure = new Error("The connection was closed.");
  let isLost = false;

  function leave(error: Error): void {
    if (hasLeft) return;
    hasLeft = true;
    events.left(error);
  }

  function destroy(error: Error): void {
    isLost = true;
    failure = error;
    pings.stop();
    session.destroy();
    // A session waits until the socket has sent everything, which a server that hangs prevents.
    socket.destroy();
    leave(error);
  }

  const pings = createPings({
    isBusy: () => streams.size > 0,
    ping(acknowledged) {
      if (!session.destroyed) session.ping((error) => error === null && acknowledged());
    },
    fail: () => destroy(new Error("The server does not acknowledge pings.")),
  });

  function onStreamClose(this: ClientHttp2Stream): void {
    streams.delete(this);
    if (streams.size > 0) return;
    session.unref();
    if (hasLeft) session.close();
  }

  /** Ends the calls that the server has not processed. Node.js would leave those that wait for their turn to be sent. */
  function onGoaway(code: number, lastStreamId: number): void {
    lastProcessedId = Math.min(lastProcessedId, lastStreamId);
    leave(new Error(`The server closes the connection (${code}).`));
    for (const stream of streams) {
      if (!isUnprocessed(stream)) continue;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.destroy();
    }
  }
  const isUnprocessed = ({ id }: ClientHttp2Stream): boolean => id === undefined || id > lastProcessedId;

  session.once("remoteSettings", () => {
    if (hasLeft) return;
    // `initialWindowSize` applies to each stream but not to the connection.
    session.setLocalWindowSize(flowControlWindowBytes);
    events.ready();
  });
  session.on("goaway", onGoaway);
  session.on("error", (error: Error) => (failure = error));
  session.on("close", () => {
    isLost = true;
    pings.stop();
    leave(failure);
  });

  return {
    open(headers) {
      if (hasLeft || session.closed || session.destroyed) {
        leave(failure);
        return undefined;
      }
      const stream = session.request(headers);
      if (streams.size === 0) session.ref();
      streams.add(stream.on("close", onStreamClose));
      pings.callBegan();
      if ((stream.id ?? Infinity) >= maxStreamId) leave(new Error("The connection has had all its calls."));
      return stream;
    },
    getLoss: () => (isLost || session.destroyed ? failure : undefined),
    isUnprocessed,
    retire() {
      leave(new Error("The channel was closed."));
      // A session that is connecting would wait for that. A server that is told refuses calls that are on their way.
      if (session.connecting) destroy(failure);
      else if (streams.size === 0) session.close();
    },
    destroy,
  };
}
