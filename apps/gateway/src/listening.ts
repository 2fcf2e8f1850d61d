import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from "node:net";

/** A server that listens on a port. */
export interface Listening {
  readonly port: number;
  /** Accepts no more connections, and resolves when all of them are closed. */
  close(): Promise<void>;
}

/**
 * How many sockets listen on the port. In each turn of the event loop, libuv accepts one connection of each. With a single one, a burst
 * of new connections waits for as many turns as it has connections, and every turn is longer the more requests are under way: most
 * clients would wait for seconds before their request is read, and before they can be refused.
 */
const sockets = 16;

/**
 * Lets a server listen with several sockets, among which the system distributes connections. Where it cannot, the server listens with
 * one. Rejects when the port is in use.
 */
export async function listen(
  server: HttpServer,
  options: { host: string; port: number; backlog: number },
): Promise<Listening> {
  // A shared port can be had by two servers, so another one must be noticed before.
  if (options.port !== 0) await begin(createServer(), options).then(end);
  const shared = await begin(server, { ...options, reusePort: true }).then(
    () => true,
    async (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") throw error;
      await begin(server, options);
      return false;
    },
  );
  const { port } = server.address() as AddressInfo;
  const servers: Server[] = [server];
  try {
    for (let n = 1; shared && n < sockets; n += 1) {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) =>
        server.emit("connection", socket),
      );
      servers.push(await begin(other, { ...options, port, reusePort: true }));
    }
  } catch (error) {
    for (const one of servers) if (one.listening) one.close();
    throw error;
  }
  return {
    port,
    async close() {
      await Promise.all(servers.map(end));
    },
  };
}

async function begin<Listener extends Server>(server: Listener, options: ListenOptions): Promise<Listener> {
  server.listen(options);
  await once(server, "listening");
  return server;
}

async function end(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await closed;
}
