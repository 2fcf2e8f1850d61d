import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createOpenConnections, createActiveRequests, type OpenConnection, type PortLimits } from "@switchyard/rpc";
import { createPausedConnections } from "../limits/paused-connections.ts";
import { createReadingTurns, type ReadConnection } from "../limits/reading-turns.ts";
import type { RequestQueue } from "../limits/request-queue.ts";

/** Enforces the limits of an HTTP/1.1 server. */
export interface HttpLimits {
  /**
   * Counts a request until its response is closed, and calls `onClose` then. Returns "overloaded" when there is no room for it: the caller
   * must refuse it and close its connection. Returns "closed" when its connection was already closed.
   */
  begin(request: IncomingMessage, response: ServerResponse, onClose: () => void): "started" | "overloaded" | "closed";
  /** Returns the current number of connections and requests. */
  count(): { connections: number; requests: number };
  /** Reads every connection that waits for its turn, so that its request is answered before the server closes. */
  endTurns(): void;
  stop(): void;
}

/**
 * How many pipelined requests a connection may have. Each response waits in memory for the ones before it.
 */
const maxPipelined = 16;

interface Connection extends ReadConnection {
  readonly tracked: OpenConnection;
  pendingResponses: number;
}

/** How many more bytes of a body count as progress of its client. */
const progressBytes = 64 * 1024;

/**
 * Limits the connections of a server and their requests. Idle connections and incomplete requests are left to the timeouts of Node.js.
 */
export function limitHttp(server: Server, limits: PortLimits, queue: Pick<RequestQueue, "size">): HttpLimits {
  const requests = createActiveRequests({ ...limits, requestTimeoutMs: Infinity });
  const connections = createOpenConnections(limits.maxConnections, (before, connection) =>
    requests.closeOldest(before, connection),
  );
  const paused = createPausedConnections();
  const turns = createReadingTurns(queue);
  const open = new WeakMap<Socket, Connection>();

  function track(socket: Socket): Connection | undefined {
    const tracked = connections.open(() => socket.destroy());
    if (tracked === undefined) return undefined;
    const connection = { socket, tracked, pendingResponses: 0, answeredAt: -Infinity, isEager: false };
    open.set(socket, connection);
    socket.once("close", () => tracked.closed());
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
    begin(request, response, onClose) {
      const { socket } = request;
      const connection = open.get(socket) ?? track(socket);
      if (connection === undefined) return "overloaded";
      if (connection.pendingResponses === maxPipelined) {
        socket.destroy();
        return "closed";
      }
      const { tracked } = connection;
      const end = requests.begin({
        isNew: () => tracked.isNew(),
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
      const ended = tracked.request();
      connection.pendingResponses += 1;
      turns.arrived(connection);
      response.on("close", () => {
        onClose();
        connection.pendingResponses -= 1;
        end();
        ended(response.writableFinished && request.complete && response.statusCode < 400);
        if (response.statusCode === 503 || response.statusCode === 429) paused.refused(socket);
        else if (connection.pendingResponses === 0) turns.answered(connection);
      });
      return "started";
    },
    count: () => ({ connections: connections.size, requests: requests.size }),
    endTurns: () => turns.stop(),
    stop: () => requests.stop(),
  };
}
