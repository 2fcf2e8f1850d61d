import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createOpenConnections, createRequestsUnderWay, type OpenConnection, type PortLimits } from "@switchyard/rpc";

/** The limits of an HTTP/1.1 server at work. */
export interface HttpLimits {
  /**
   * Notes a request until its answer has left. "overloaded" when there is no room for it: it is to be refused, and its connection to be
   * closed. "closed" when its connection is closed already.
   */
  begin(request: IncomingMessage, response: ServerResponse): "begun" | "overloaded" | "closed";
  /** How much there is at the moment. */
  count(): { connections: number; requests: number };
  stop(): void;
}

/**
 * How many requests of one connection may be under way: a client may send the next before it has the answer, and each answer waits in
 * memory for those before it.
 */
const maxPipelined = 16;

/** Whoever has sent so much more of a body has not kept the server waiting meanwhile. */
const progressBytes = 64 * 1024;

/**
 * Holds the connections of a server, and what they have under way, within limits. Connections that send nothing and requests that do
 * not come to their end are left to the time limits of Node.
 */
export function limitHttp(server: Server, limits: PortLimits): HttpLimits {
  const requests = createRequestsUnderWay({ ...limits, requestTimeoutMs: Infinity });
  const connections = createOpenConnections(limits.maxConnections, (before, whose) =>
    requests.closeOldest(before, whose),
  );
  const open = new WeakMap<Socket, OpenConnection>();
  const answering = new WeakMap<Socket, number>();

  function note(socket: Socket): OpenConnection | undefined {
    const connection = connections.open(() => socket.destroy());
    if (connection === undefined) return undefined;
    open.set(socket, connection);
    socket.once("close", () => connection.closed());
    return connection;
  }

  server.on("connection", (socket: Socket) => {
    // In a burst, connections are accepted faster than they are read. What came with one is read before it counts as idle, or it would
    // make room for the next with its request unread.
    const afterReading = (): void => {
      if (!socket.destroyed && !open.has(socket) && note(socket) === undefined) socket.destroy();
    };
    setImmediate(() => setImmediate(afterReading));
  });

  return {
    begin(request, response) {
      const { socket } = request;
      const pipelined = (answering.get(socket) ?? 0) + 1;
      if (pipelined > maxPipelined) {
        socket.destroy();
        return "closed";
      }
      const connection = open.get(socket) ?? note(socket);
      if (connection === undefined) return "overloaded";
      const end = requests.begin({
        isNewcomer: () => connection.isNewcomer(),
        look() {
          const unreadBytes = response.headersSent ? response.writableLength : 0;
          const taken = socket.bytesWritten - socket.writableLength;
          if (unreadBytes > 0) return { waitsFor: "reader", unreadRequest: false, unreadBytes, taken };
          const waitsFor = request.complete ? undefined : "request";
          const sent = Math.floor(socket.bytesRead / progressBytes);
          return { waitsFor, unreadRequest: request.readableLength > 0, unreadBytes, taken: taken + sent };
        },
        giveUp: () => socket.destroy(),
      });
      if (end === undefined) return "overloaded";
      const ended = connection.request();
      answering.set(socket, pipelined);
      response.once("close", () => {
        answering.set(socket, (answering.get(socket) ?? 1) - 1);
        end();
        ended(response.writableFinished && request.complete && response.statusCode < 400);
      });
      return "begun";
    },
    count: () => ({ connections: connections.size, requests: requests.size }),
    stop: () => requests.stop(),
  };
}
