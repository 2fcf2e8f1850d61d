import { createServer, type Socket } from "node:net";
import { dispatch, isDurable, waitedTooLong } from "./commands/dispatcher.ts";
import { setName } from "./commands/connection.ts";
import type { Server } from "./commands/command.ts";
import { createCursors } from "./cursors.ts";
import { Engine } from "./engine.ts";
import { removeExpired } from "./expiry.ts";
import { errorReply } from "./errors.ts";
import { openSessions } from "./sessions.ts";
import type { Flush } from "./sqlite.ts";
import { WaitForTransaction } from "./transactions.ts";
import { fieldOf, wholeNumber } from "./values.ts";
import { createMessageSplitter, encodeReply, readRequest, writeReply, type Request } from "./wire.ts";

/** Where and how to serve. */
export interface EmbeddedMongoOptions {
  /** The data folder, made when missing, or ":memory:". */
  readonly folder: string;
  /** The address to listen on; 127.0.0.1 unless given. */
  readonly host?: string;
  /** The port to listen on; a free one unless given. */
  readonly port?: number;
  /** How often documents of TTL indexes are looked through, in milliseconds; 60000 unless given. */
  readonly expiryInterval?: number;
  /** The longest life of a transaction, in milliseconds; 60000 unless given. */
  readonly transactionLifetime?: number;
}

/** A running server. */
export interface EmbeddedMongo {
  /** For the driver or mongoose; the database is theirs to choose. */
  readonly uri: string;
  readonly port: number;
  /** Ends all connections and closes the data file; done when the folder is free again. */
  close(): Promise<void>;
}

const sessionLifetime = 30 * 60 * 1000;
const cursorLifetime = 10 * 60 * 1000;

/**
 * Serves a data folder in this thread. Throws when another server has the folder, or the port is taken.
 * Every command runs to its end without a pause, so it is the only one at that time. `flush` is fdatasync unless given.
 */
export async function createEmbeddedMongoServer(options: EmbeddedMongoOptions, flush?: Flush): Promise<EmbeddedMongo> {
  const { host = "127.0.0.1", transactionLifetime = 60_000 } = options;
  const engine = new Engine(options.folder, flush);
  const sessions = openSessions(engine);
  let port = options.port ?? 0;
  const server: Server = { engine, sessions, cursors: createCursors(), address: () => `${host}:${port}` };
  const sockets = new Set<Socket>();
  let connections = 0;

  const listener = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    serveConnection(server, connection, socket, transactionLifetime);
    socket.on("close", () => {
      sockets.delete(socket);
      sessions.connectionClosed(connection);
    });
  });

  try {
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(port, host, resolve);
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
  const address = listener.address();
  port = typeof address === "object" && address !== null ? address.port : port;

  const sweeping = setInterval(
    () => {
      engine.unit(() => sessions.sweep(Date.now() - sessionLifetime, Date.now() - transactionLifetime));
      server.cursors.closeOlderThan(Date.now() - cursorLifetime);
    },
    Math.min(1000, transactionLifetime / 4),
  );
  const expiring = setInterval(() => removeExpired(engine, new Date()), options.expiryInterval ?? 60_000);

  return {
    uri: `mongodb://${host}:${port}/?replicaSet=${setName}&directConnection=true`,
    port,
    async close() {
      clearInterval(sweeping);
      clearInterval(expiring);
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      await engine.close();
    },
  };
}

/** Answers the messages of one connection, one after the other. */
function serveConnection(server: Server, connection: number, socket: Socket, patience: number): void {
  const split = createMessageSplitter();
  const queue: Request[] = [];
  let busy = false;
  let responses = 0;

  function answer(request: Request, body: Uint8Array): void {
    if (request.wantsReply && !socket.destroyed) socket.write(writeReply(request, ++responses, body));
  }

  function work(): void {
    if (busy) return;
    busy = true;
    while (queue.length > 0) {
      const request = queue.shift() as Request;
      if (!run(request, Date.now() + patienceOf(request, patience))) return;
    }
    busy = false;
  }

  /** False when the request waits for a transaction, or its reply for the disk: the queue goes on after it. */
  function run(request: Request, deadline: number): boolean {
    try {
      const body = dispatch(server, connection, request.command);
      const flushed = request.wantsReply && isDurable(request.command) ? server.engine.flushed() : undefined;
      if (flushed !== undefined) {
        void flushed
          .then(
            () => body,
            (error: unknown) => encodeReply({ fields: errorReply(error) }),
          )
          .then((reply) => {
            answer(request, reply);
            busy = false;
            work();
          });
        return false;
      }
      answer(request, body);
      return true;
    } catch (error) {
      if (!(error instanceof WaitForTransaction)) throw error;
    }
    let ended = false;
    const again = (late: boolean): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      if (socket.destroyed) return;
      if (late) answer(request, waitedTooLong());
      else if (!run(request, deadline)) return;
      busy = false;
      work();
    };
    const timer = setTimeout(() => again(true), Math.max(0, deadline - Date.now()));
    server.engine.transactions.onceEnded(() => setImmediate(again, false));
    return false;
  }

  socket.on("data", (chunk: Buffer) => {
    try {
      for (const message of split(chunk)) queue.push(readRequest(message));
    } catch {
      // What is no message of the protocol cannot be answered in it.
      socket.destroy();
      return;
    }
    work();
  });
  socket.on("error", () => socket.destroy());
}

/** How long a command may wait for transactions: its own limit, or until every open transaction is over. */
function patienceOf(request: Request, longest: number): number {
  try {
    const limit = wholeNumber(fieldOf(request.command, "maxTimeMS") ?? 0, "maxTimeMS");
    return limit > 0 ? limit : longest * 2;
  } catch {
    return longest;
  }
}
