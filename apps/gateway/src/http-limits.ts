import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createOpenConnections, createRequestsUnderWay, type OpenConnection, type PortLimits } from "@switchyard/rpc";

/** The limits of an HTTP/1.1 server at work. */
export interface HttpLimits {
  /** Notes a request until its answer has left. False when it was refused, with its connection. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** How much there is at the moment. */
  count(): { connections: number; requests: number };
  stop(): void;
}

/**
 * Holds the connections of a server, and what they have under way, within limits. Connections that send nothing and requests that do
 * not come to their end are left to the time limits of Node.
 */
export function limitHttp(server: Server, limits: PortLimits): HttpLimits {
  const requests = createRequestsUnderWay({ ...limits, requestTimeoutMs: Infinity });
  const connections = createOpenConnections(limits.maxConnections, () => requests.giveUpConnection());
  const open = new WeakMap<Socket, OpenConnection>();

  server.on("connection", (socket: Socket) => {
    const connection = connections.open(() => socket.destroy());
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    open.set(socket, connection);
    socket.once("close", () => connection.closed());
  });

  return {
    begin(request, response) {
      const { socket } = request;
      const end = requests.begin({
        look() {
          const unreadBytes = response.headersSent ? response.writableLength : 0;
          const taken = socket.bytesWritten - socket.writableLength;
          if (unreadBytes > 0) return { waitsFor: "reader", unreadBytes, taken };
          const incomplete = !request.complete && request.readableLength === 0;
          return { waitsFor: incomplete ? "request" : undefined, unreadBytes, taken };
        },
        giveUp: () => socket.destroy(),
      });
      const ended = open.get(socket)?.request();
      if (end === undefined) {
        socket.destroy();
        return false;
      }
      response.once("close", () => {
        end();
        ended?.();
      });
      return true;
    },
    count: () => ({ connections: connections.size, requests: requests.size }),
    stop: () => requests.stop(),
  };
}
