import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createOpenConnections, createActiveRequests, type OpenConnection, type PortLimits } from "@switchyard/rpc";
import { createPausedConnections } from "../limits/paused-connections.ts";

/** Enforces the limits of an HTTP/1.1 server. */
export interface HttpLimits {
  /**
   * Counts a request until its response has been sent. Returns "overloaded" when there is no room for it: the caller must refuse it and
   * close its connection. Returns "closed" when its connection was already closed.
   */
  begin(request: IncomingMessage, response: ServerResponse): "started" | "overloaded" | "closed";
  /** Returns the current number of connections and requests. */
  count(): { connections: number; requests: number };
  stop(): void;
}

/**
 * How many pipelined requests a connection may have. Each response waits in memory for the ones before it.
 */
const maxPipelined = 16;

/** How many more bytes of a body count as progress of its client. */
const progressBytes = 64 * 1024;

/**
 * Limits the connections of a server and their requests. Idle connections and incomplete requests are left to the timeouts of Node.js.
 */
export function limitHttp(server: Server, limits: PortLimits): HttpLimits {
  const requests = createActiveRequests({ ...limits, requestTimeoutMs: Infinity });
  const connections = createOpenConnections(limits.maxConnections, (before, connection) =>
    requests.closeOldest(before, connection),
  );
  const paused = createPausedConnections();
  const open = new WeakMap<Socket, OpenConnection>();
  const pendingResponses = new WeakMap<Socket, number>();

  function track(socket: Socket): OpenConnection | undefined {
    const connection = connections.open(() => socket.destroy());
    if (connection === undefined) return undefined;
    open.set(socket, connection);
    socket.once("close", () => connection.closed());
    return connection;
  }

  server.on("connection", (socket: Socket) => {
    // In a burst, connections are accepted faster than they are read. A connection counts as idle only after its first bytes were read;
    // otherwise it would be closed for the next one with its request unread.
    const afterReading = (): void => {
      if (!socket.destroyed && !open.has(socket) && track(socket) === undefined) socket.destroy();
    };
    setImmediate(() => setImmediate(afterReading));
  });

  return {
    begin(request, response) {
      const { socket } = request;
      const pipelined = (pendingResponses.get(socket) ?? 0) + 1;
      if (pipelined > maxPipelined) {
        socket.destroy();
        return "closed";
      }
      const connection = open.get(socket) ?? track(socket);
      if (connection === undefined) return "overloaded";
      const end = requests.begin({
        isNew: () => connection.isNew(),
        getState() {
          const unreadBytes = response.headersSent ? response.writableLength : 0;
          const taken = socket.bytesWritten - socket.writableLength;
          if (unreadBytes > 0) return { awaiting: "reader", unreadRequest: false, unreadBytes, taken };
          const awaiting = request.complete ? undefined : "request";
          const sent = Math.floor(socket.bytesRead / progressBytes);
          return { awaiting, unreadRequest: request.readableLength > 0, unreadBytes, taken: taken + sent };
        },
        abort: () => socket.destroy(),
      });
      if (end === undefined) return "overloaded";
      const ended = connection.request();
      pendingResponses.set(socket, pipelined);
      response.once("close", () => {
        pendingResponses.set(socket, (pendingResponses.get(socket) ?? 1) - 1);
        end();
        ended(response.writableFinished && request.complete && response.statusCode < 400);
        if (response.statusCode === 503 || response.statusCode === 429) paused.refused(socket);
      });
      return "started";
    },
    count: () => ({ connections: connections.size, requests: requests.size }),
    stop: () => requests.stop(),
  };
}
