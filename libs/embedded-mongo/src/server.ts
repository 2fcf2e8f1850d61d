import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, type Socket } from "node:net";
import type { Server } from "./commands/command.ts";
import { setName } from "./commands/connection.ts";
import { dispatch, isDurable } from "./commands/dispatcher.ts";
import { createCursors } from "./sessions/cursors.ts";
import { Engine } from "./engine.ts";
import { toErrorFields, serverError, ServerError } from "./errors.ts";
import { listenLocally } from "./listening.ts";
import { removeExpired } from "./storage/expiry.ts";
import { openSessions } from "./sessions/sessions.ts";
import type { Flush } from "./storage/sqlite.ts";
import { WaitForTransaction } from "./scheduling/wait-for-transaction.ts";
import type { Steps, TimeSlices } from "./scheduling/time-slices.ts";
import { encode, parseWholeNumber } from "./values/values.ts";
import { MessageSplitter, readRequest, replyHeader, withClusterTime, type Request } from "./wire/wire.ts";

/** The options of a server. */
export interface EmbeddedMongoOptions {
  /** The data folder, which is created if it is missing, or ":memory:". */
  readonly folder: string;
  /**
   * The port on 127.0.0.1; 0 is any free one. By default, the server listens on a Unix domain socket in the folder, or on a free port if that
   * is not possible.
   */
  readonly port?: number;
  /** The interval at which expired documents, sessions and cursors are removed, in milliseconds; 60,000 by default. */
  readonly expiryIntervalMs?: number;
  /** The maximum duration of a transaction, in milliseconds; 60,000 by default. */
  readonly transactionLifetimeMs?: number;
}

/** A running server in this thread. */
export interface ServerInThread extends EmbeddedMongo {
  /** The time slices of the commands. */
  readonly timeSlices: TimeSlices;
}

/** A running server. */
export interface EmbeddedMongo {
  /** The connection string, without a database. */
  readonly uri: string;
  /** The port; undefined for a Unix domain socket. */
  readonly port: number | undefined;
  /** Ends all connections and closes the data file. Resolves when another server can open the folder. */
  close(): Promise<void>;
}

/** Options for tests. */
export interface Internals {
  readonly flush?: Flush;
  readonly timeSliceMs?: number;
}

const sessionLifetimeMs = 30 * 60 * 1000;
const cursorLifetimeMs = 10 * 60 * 1000;
const maxOpenConnections = 2000;
/** The maximum interval between checks of the age of transactions, and of whether a disk that failed has recovered, in milliseconds. */
const checkIntervalMs = 1_000;
/** The maximum size of incomplete messages and unread replies of all connections. A connection that exceeds it is closed. */
const maxPendingBytes = 256 * 1024 * 1024;
/** The maximum time without progress of an incomplete message or an unread reply. */
const idleTimeoutMs = 30_000;

/**
 * Serves a data folder in this thread. Throws if another server uses the folder, or if the port is in use. Commands run in time slices,
 * so a long command pauses for others. `flush` is fdatasync by default; `timeSliceMs` is the duration of a time slice.
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
  const server: Server = { engine, sessions, cursors: createCursors(), address: () => place.address };
  const sockets = new Set<Socket>();
  let connections = 0;
  let [waitingBytes, ticks] = [0, 0];

  let checking: NodeJS.Timeout | undefined;
  let isClosing = false;
  /** Checks the age of open transactions, and whether a disk that failed has recovered, as long as there are any. */
  function checkSoon(): void {
    if (isClosing || checking !== undefined) return;
    if (!sessions.hasTransactions && engine.sqlite.failure === undefined) return;
    checking = setTimeout(
      () => {
        checking = undefined;
        sessions.abortBegunBefore(performance.now() - transactionLifetimeMs);
        void engine.sqlite.heal().finally(checkSoon);
      },
      Math.min(checkIntervalMs, transactionLifetimeMs / 4),
    ).unref();
  }

  /** Answers the messages of a connection one by one. Throws if a message is malformed. */
  async function serve(socket: Socket, connection: number): Promise<void> {
    const splitter = new MessageSplitter();
    let ownBytes = 0;
    let isProcessing = false;
    const setWaitingBytes = (bytes: number): void => {
      waitingBytes += bytes - ownBytes;
      ownBytes = bytes;
      if (waitingBytes > maxPendingBytes) throw new Error("too many bytes are waiting");
    };
    socket.setTimeout(idleTimeoutMs, () => ownBytes > 0 && !isProcessing && socket.destroy());
    try {
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        for (const message of splitter.split(chunk)) {
          const request = readRequest(message);
          isProcessing = true;
          const body = withClusterTime(await getReply(request, connection, socket), (ticks += 1));
          isProcessing = false;
          checkSoon();
          if (!request.expectsReply) continue;
          setWaitingBytes(splitter.pending + body.length);
          socket.cork();
          socket.write(replyHeader(request, body.length));
          const sent = new Promise<void>((resolve) => socket.write(body, () => resolve()));
          socket.uncork();
          await sent;
        }
        setWaitingBytes(splitter.pending);
      }
    } finally {
      waitingBytes -= ownBytes;
    }
  }

  /**
   * Runs steps to their end, each in a time slice of its own. Calls `wait` if a step must wait for a transaction. A step that would begin
   * after `deadline` fails instead.
   */
  async function runInTimeSlices<Result>(
    steps: Steps<Result>,
    wait: (error: WaitForTransaction) => Promise<void>,
    deadline = Number.POSITIVE_INFINITY,
  ) {
    try {
      for (;;) {
        const next = () => (performance.now() > deadline ? steps.throw(timeExpired()) : steps.next());
        const step = timeSlices.run(() => engine.sqlite.unit(next));
        if (step.done === true) return step.value;
        await (step.value instanceof WaitForTransaction ? wait(step.value) : timeSlices.next(step.value));
      }
    } finally {
      // Abandoned work releases its locks.
      steps.return(undefined as Result);
    }
  }

  /** Returns the reply to a request, which may be an error. */
  async function getReply(request: Request, connection: number, socket: Socket): Promise<Uint8Array> {
    try {
      const command = await runInTimeSlices(request.command(isOver), () => Promise.resolve());
      // Without maxTimeMS, a command waits until every transaction that is open now has ended.
      const maxWaitMs = transactionLifetimeMs * 2;
      const maxTimeMs = parseWholeNumber(command["maxTimeMS"] ?? 0, "maxTimeMS") || Number.POSITIVE_INFINITY;
      const deadline = performance.now() + maxTimeMs;
      let timeout: Promise<string> | undefined;
      const wait = async (error: unknown): Promise<void> => {
        if (!(error instanceof WaitForTransaction)) throw error;
        timeout ??= sleep(Math.min(maxTimeMs, maxWaitMs), "late", { ref: false });
        if ((await Promise.race([error.ended, timeout])) === "late") {
          throw timeExpired(" while it waited for a transaction");
        }
        // The client that would receive the reply has disconnected.
        if (socket.destroyed) throw error;
      };
      for (;;) {
        try {
          const body = await runInTimeSlices(
            dispatch(server, connection, command, () => socket.destroyed),
            wait,
            deadline,
          );
          if (request.expectsReply && isDurable(command)) await engine.sqlite.flushed();
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
  const place = await listenLocally(listener, options).catch(async (error: unknown) => {
    await engine.sqlite.close();
    throw error;
  });

  /** Removes what has expired. It does not wait for transactions. */
  function* cleanUp(): Steps<void> {
    yield* removeExpired(engine, new Date());
    yield* sessions.forgetUnusedSince(Date.now() - sessionLifetimeMs);
    yield* engine.catalog.removeUnused(timeSlices);
  }
  let isCleaning = false;
  const expiring = setInterval(() => {
    server.cursors.closeUnusedSince(performance.now() - cursorLifetimeMs);
    if (isCleaning) return;
    isCleaning = true;
    runInTimeSlices(cleanUp(), () => Promise.resolve())
      .catch((error: unknown) => {
        // Errors of the disk are reported to clients, and the next run tries again. Any other error is a bug and must be visible.
        if (!(error instanceof ServerError)) process.emitWarning(error as Error);
      })
      .finally(() => {
        isCleaning = false;
        checkSoon();
      });
  }, expiryIntervalMs);

  return {
    uri: `mongodb://${place.address}/?replicaSet=${setName}&directConnection=true`,
    port: place.port,
    timeSlices,
    async close() {
      timeSlices.close();
      isClosing = true;
      clearTimeout(checking);
      clearInterval(expiring);
      const closed = once(listener, "close");
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await engine.sqlite.close();
    },
  };
}

function timeExpired(details = ""): ServerError {
  return serverError("MaxTimeMSExpired", `operation exceeded time limit${details}`);
}
