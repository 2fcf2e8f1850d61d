import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Server } from "./commands/command.ts";
import { setName } from "./commands/connection.ts";
import { dispatch, isDurable } from "./commands/dispatcher.ts";
import { createCursors } from "./sessions/cursors.ts";
import { Engine } from "./engine.ts";
import { toErrorFields, serverError, ServerError } from "./errors.ts";
import { removeExpired } from "./storage/expiry.ts";
import { openSessions } from "./sessions/sessions.ts";
import type { Flush } from "./storage/sqlite.ts";
import { WaitForTransaction } from "./sessions/transactions.ts";
import type { Steps, TimeSlices } from "./scheduling/time-slices.ts";
import { encode, parseWholeNumber } from "./values/values.ts";
import { MessageSplitter, readRequest, replyHeader, withClusterTime, type Request } from "./wire/wire.ts";

/** Where and how to serve. */
export interface EmbeddedMongoOptions {
  /** The data folder, made when missing, or ":memory:". */
  readonly folder: string;
  /** The port of 127.0.0.1 to listen on; a free one unless given. */
  readonly port?: number;
  /** How often it looks for what expired (documents of TTL indexes, sessions, cursors), in milliseconds; 60000 unless given. */
  readonly expiryIntervalMs?: number;
  /** The longest life of a transaction, in milliseconds; 60000 unless given. */
  readonly transactionLifetimeMs?: number;
}

/** A running server in this thread. */
export interface ServerInThread extends EmbeddedMongo {
  /** How long the longest turn took, and how many there were. */
  readonly timeSlices: TimeSlices;
}

/** A running server. */
export interface EmbeddedMongo {
  /** For the driver or mongoose; the database is theirs to choose. */
  readonly uri: string;
  readonly port: number;
  /** Ends all connections and closes the data file; done when the folder is free again. */
  close(): Promise<void>;
}

/** What tests set. */
export interface Internals {
  readonly flush?: Flush;
  readonly timeSliceMs?: number;
}

const sessionLifetimeMs = 30 * 60 * 1000;
const cursorLifetimeMs = 10 * 60 * 1000;
const host = "127.0.0.1";
const maxOpenConnections = 2000;
/** How often a disk that failed is tried again, in milliseconds. */
const healIntervalMs = 1_000;
/** Bytes of half messages and of replies that were not read, of all connections; one that adds more is closed. */
const maxPendingBytes = 256 * 1024 * 1024;
/** How long a half message or an unread reply may make no progress. */
const idleTimeoutMs = 30_000;

/**
 * Serves a data folder in this thread. Throws when another server has the folder, or the port is taken.
 * Commands take time slices: a long one pauses for the others. `flush` is fdatasync unless given, and `timeSliceMs` how long a turn is.
 */
export async function createEmbeddedMongoServer(
  options: EmbeddedMongoOptions,
  { flush, timeSliceMs }: Internals = {},
): Promise<ServerInThread> {
  const { folder, expiryIntervalMs = 60_000, transactionLifetimeMs = 60_000 } = options;
  const engine = new Engine(folder, flush, timeSliceMs);
  const { timeSlices } = engine;
  const isOver = (): boolean => timeSlices.isOver;
  const sessions = openSessions(engine);
  const server: Server = { engine, sessions, cursors: createCursors(), address: () => `${host}:${port}` };
  const sockets = new Set<Socket>();
  let connections = 0;
  let [waiting, ticks] = [0, 0];

  /** Answers the messages of one connection, one after the other; throws for what is no message of the protocol. */
  async function serve(socket: Socket, connection: number): Promise<void> {
    const splitter = new MessageSplitter();
    let own = 0;
    let answering = false;
    const hold = (bytes: number): void => {
      waiting += bytes - own;
      own = bytes;
      if (waiting > maxPendingBytes) throw new Error("too many bytes are waiting");
    };
    socket.setTimeout(idleTimeoutMs, () => own > 0 && !answering && socket.destroy());
    try {
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        for (const message of splitter.split(chunk)) {
          const request = readRequest(message);
          answering = true;
          const body = withClusterTime(await answer(request, connection, socket), (ticks += 1));
          answering = false;
          if (!request.wantsReply) continue;
          hold(splitter.pending + body.length);
          socket.cork();
          socket.write(replyHeader(request, body.length));
          const sent = new Promise<void>((resolve) => socket.write(body, () => resolve()));
          socket.uncork();
          await sent;
        }
        hold(splitter.pending);
      }
    } finally {
      waiting -= own;
    }
  }

  /** Runs steps to their end, each in a turn of its own. A transaction that is in their way is waited for as `wait` says. */
  async function runInTimeSlices<Result>(steps: Steps<Result>, wait: (error: WaitForTransaction) => Promise<void>) {
    try {
      for (;;) {
        const step = timeSlices.run(() => engine.sqlite.unit(() => steps.next()));
        if (step.done === true) return step.value;
        await (step.value instanceof WaitForTransaction ? wait(step.value) : timeSlices.next(step.value));
      }
    } finally {
      // So that work that does not go on lets go of what it holds.
      steps.return(undefined as Result);
    }
  }

  /** The reply to a request, an error among them. */
  async function answer(request: Request, connection: number, socket: Socket): Promise<Uint8Array> {
    try {
      const command = await runInTimeSlices(request.command(isOver), () => Promise.resolve());
      // Without a limit of its own it waits until every transaction that is open now is over.
      const longest = transactionLifetimeMs * 2;
      const limit = parseWholeNumber(command["maxTimeMS"] ?? 0, "maxTimeMS") || longest;
      let late: Promise<string> | undefined;
      const wait = async (error: unknown): Promise<void> => {
        if (!(error instanceof WaitForTransaction)) throw error;
        late ??= sleep(Math.min(limit, longest), "late", { ref: false });
        if ((await Promise.race([error.ended, late])) === "late") {
          throw serverError("MaxTimeMSExpired", "operation exceeded time limit while it waited for a transaction");
        }
        // Nobody would learn what is done from now on.
        if (socket.destroyed) throw error;
      };
      for (;;) {
        try {
          const body = await runInTimeSlices(
            dispatch(server, connection, command, () => socket.destroyed),
            wait,
          );
          if (request.wantsReply && isDurable(command)) await engine.sqlite.flushed();
          return body;
        } catch (error) {
          await wait(error);
        }
      }
    } catch (error) {
      return encode({ ok: 0, ...toErrorFields(error) });
    }
  }

  const listener = createServer({ noDelay: true }, (socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      sessions.connectionClosed(connection);
    });
    serve(socket, connection).catch(() => socket.destroy());
  });
  listener.maxConnections = maxOpenConnections;
  listener.listen(options.port ?? 0, host);
  await once(listener, "listening").catch(async (error: unknown) => {
    await engine.sqlite.close();
    throw error;
  });
  const { port } = listener.address() as AddressInfo;

  const abortLate = (): void => sessions.abortBegunBefore(Date.now() - transactionLifetimeMs);
  const aborting = setInterval(abortLate, Math.min(1000, transactionLifetimeMs / 4));
  const healing = setInterval(() => void engine.sqlite.heal(), healIntervalMs);
  /** Removes what is over, and waits for nobody. */
  function* tidyUp(): Steps<void> {
    yield* removeExpired(engine, new Date());
    yield* sessions.forgetUnusedSince(Date.now() - sessionLifetimeMs);
    yield* engine.catalog.removeUnused(timeSlices);
  }
  let tidying = false;
  const expiring = setInterval(() => {
    server.cursors.closeUnusedSince(Date.now() - cursorLifetimeMs);
    if (tidying) return;
    tidying = true;
    runInTimeSlices(tidyUp(), () => Promise.resolve())
      .catch((error: unknown) => {
        // What the disk did not take is left for the next time, and clients are told of it; anything else is a bug that shall be seen.
        if (!(error instanceof ServerError)) process.emitWarning(error as Error);
      })
      .finally(() => (tidying = false));
  }, expiryIntervalMs);

  return {
    uri: `mongodb://${host}:${port}/?replicaSet=${setName}&directConnection=true`,
    port,
    timeSlices,
    async close() {
      timeSlices.close();
      clearInterval(aborting);
      clearInterval(expiring);
      clearInterval(healing);
      const closed = once(listener, "close");
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await engine.sqlite.close();
    },
  };
}
