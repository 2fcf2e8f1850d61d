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
 * How many sockets listen on the port. In each iteration of the event loop, libuv accepts one connection per socket. With a single
 * socket, a burst takes as many iterations as it has connections, and iterations get longer with the load: most clients would wait for
 * seconds before their request is read or refused.
 */
const sockets = 16;

/**
 * Starts a server on several sockets, among which the operating system distributes connections. Where this is not supported, the server
 * uses a single socket. Rejects if the port is in use.
 */
export async function listen(
  server: HttpServer,
  options: { host: string; port: number; backlog: number },
): Promise<Listening> {
  // Two servers can share a port, so check first that no other server uses it.
  if (options.port !== 0) await startListening(createServer(), options).then(stop);
  const shared = await startListening(server, { ...options, reusePort: true }).then(
    () => true,
    async (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") throw error;
      await startListening(server, options);
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
      servers.push(await startListening(other, { ...options, port, reusePort: true }));
    }
  } catch (error) {
    for (const listener of servers) if (listener.listening) listener.close();
    throw error;
  }
  return {
    port,
    async close() {
      await Promise.all(servers.map(stop));
    },
  };
}

async function startListening<Listener extends Server>(server: Listener, options: ListenOptions): Promise<Listener> {
  server.listen(options);
  await once(server, "listening");
  return server;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await closed;
}
