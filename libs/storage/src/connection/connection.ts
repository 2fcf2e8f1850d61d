import { channel } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import mongoose from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";
import { getProblemFacts, storageProblem, unavailable } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { createWriteBatching } from "../transactions/write-batching.ts";
import type { BatchWrites } from "../transactions/write-batching.ts";
import { createIdempotency } from "../idempotency/idempotent.ts";
import { createKeyStore } from "../idempotency/key-store.ts";
import { createCollections } from "./model-indexes.ts";
import { sentCommands } from "./sent-commands.ts";
import type { SentCommand } from "./sent-commands.ts";
import { createTransactions } from "../transactions/transactions.ts";
import type { ToResponse, Atomically } from "../transactions/transactions.ts";

/** The database of a service. */
export interface Storage {
  /** The connection on which the service's stores register their models, before `ready`. */
  readonly connection: Connection;
  /** Writes several documents in one transaction. */
  readonly atomically: Atomically;
  /** Batches concurrent changes of one document into shared transactions. */
  readonly batchWrites: BatchWrites;
  /** Runs a write that needs no transaction of its own. It gets one, with a session, only if the call has an idempotency key. */
  readonly withKey: <Result>(
    write: (session: ClientSession | undefined) => Promise<Result>,
    toResponse: ToResponse<Result>,
  ) => Promise<Result>;
  /**
   * Adds idempotency keys to a service: its methods that take a key (`takesIdempotencyKey`) answer a repeated request with the stored
   * response for 24 hours, marked by the header `idempotency-replayed`. Keys are scoped to a token, across all services on this storage.
   * Throws FailedPrecondition IDEMPOTENCY_KEY_REUSED if the key belongs to another request, Aborted IDEMPOTENCY_KEY_IN_USE while the
   * first request is being processed, and AlreadyExists SECRET_ALREADY_ISSUED if the response contained a secret (`debug_redact` in the
   * contract). Errors are not stored. Every such method must pass its response to `atomically` or `withKey`.
   */
  readonly idempotent: (registration: ServiceRegistration) => ServiceRegistration;
  /**
   * Creates the collections and indexes of all models that were registered since it was last called. Call it before the service is served. The
   * logger reports the progress of building indexes on existing collections.
   */
  ready(logger?: Logger): Promise<void>;
  /** Resolves if the database accepts writes. Rejects otherwise, with Unavailable if it does not respond within a second. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The options of a storage: a MongoDB connection string, and the name of the service's database. */
export interface StorageOptions {
  uri: string;
  database: string;
  /** The clock of idempotency keys, in milliseconds. */
  now?: () => number;
  /** The time without a heartbeat after which a request with a key counts as abandoned, in milliseconds. */
  keyLeaseMs?: number;
  /** Whether no other process uses the database. If so, unanswered requests of earlier processes count as abandoned. */
  exclusive?: boolean;
  /** If given, connecting waits up to a minute for a database that cannot be reached, and logs that. */
  logger?: Logger;
}

/** How long a program that starts waits for a database that starts with it, in milliseconds. */
const connectWithinMs = 60_000;

/**
 * The timeouts of the driver, in milliseconds. A primary that hangs with open connections is detected by a missed heartbeat. Operations
 * are then retried on the next primary, after the election. With the driver's defaults, this takes 36 s.
 */
const timeouts = {
  connectTimeoutMS: 3_000,
  heartbeatFrequencyMS: 1_000,
  serverSelectionTimeoutMS: 10_000,
  waitQueueTimeoutMS: 10_000,
  // For connections that are silent although the server runs. Only building an index takes longer than this.
  socketTimeoutMS: 30_000,
};
/** Nothing can replace a server that only this process uses, so a heartbeat detects nothing that a failed command does not. */
const exclusiveHeartbeatMs = 60_000;
/**
 * The interval at which a pool looks for connections to close or to add, in milliseconds. The driver does that ten times a second, which took
 * a third of the processor time of an idle server. It has nothing to do here: no minimum size and no idle time are set, and a connection
 * that is out of date is replaced when it is needed.
 */
const poolCheckMs = 60_000;
/** The time limit for creating collections and indexes, in milliseconds. */
const readyTimeoutMs = 600_000;
/** The time limit for a ping, in milliseconds. */
const pingTimeoutMs = 1_000;
/**
 * The time limit for closing, in milliseconds. The driver ends its sessions on the server. If that has just ended, it waits for
 * `serverSelectionTimeoutMS`, and has been seen to wait for more than two minutes. Sessions that are not ended expire.
 */
const closeTimeoutMs = 3_000;
/** The time for which the responses of idempotency keys are stored, in milliseconds. */
const responseRetentionMs = 24 * 60 * 60 * 1000;

/**
 * Connects to a service's database. Filters are sanitized: an object with operators must be marked with mongoose's `trusted`. Filters
 * and documents must not contain fields that are not in the schema. Writes are acknowledged by the majority.
 */
export async function connectStorage({
  uri,
  database,
  now = Date.now,
  keyLeaseMs = 5_000,
  exclusive = false,
  logger,
}: StorageOptions): Promise<Storage> {
  // A separate instance, so that these settings do not apply elsewhere.
  const instance = new mongoose.Mongoose({
    sanitizeFilter: true,
    strictQuery: "throw",
    autoCreate: false,
    autoIndex: false,
    // The driver already waits for an unavailable database; mongoose would wait again and throw a less specific error.
    bufferCommands: false,
  });
  // Settings of an instance only apply to schemas created with it, but stores use the default instance.
  instance.plugin((schema) => schema.set("strict", "throw"));
  const sent = channel(sentCommands);
  const client = new instance.mongo.MongoClient(uri, {
    w: "majority",
    readPreference: "primary",
    ...timeouts,
    ...(exclusive ? { heartbeatFrequencyMS: exclusiveHeartbeatMs } : {}),
    retryWrites: true,
    monitorCommands: sent.hasSubscribers,
  });
  // Not an option of the driver's types, but of its pools, which take it from here when the client connects.
  Object.assign(client.options, { dbName: database, minPoolSizeCheckFrequencyMS: poolCheckMs });
  await connect(client, logger);
  const connection = instance.createConnection().setClient(client);
  if (sent.hasSubscribers) {
    client.on("commandStarted", ({ databaseName, command }) =>
      sent.publish({ client, databaseName, command } satisfies SentCommand),
    );
  }
  const keys = createKeyStore(connection, { now, retentionMs: responseRetentionMs, leaseMs: keyLeaseMs, exclusive });
  const { idempotent, current } = createIdempotency(keys, keyLeaseMs);
  const atomically = createTransactions(connection, current);
  const readyModels = new Set<Model<unknown>>();
  return {
    connection,
    atomically,
    batchWrites: createWriteBatching(atomically, current),
    idempotent,
    withKey: (write, toResponse) => (current() === undefined ? write(undefined) : atomically(write, toResponse)),
    async ready(logger) {
      await retryUntilReady(() => createCollections(connection, readyModels, logger), logger);
    },
    async ping() {
      const pinged = connection.getClient().db(database).command({ ping: 1 }, { timeoutMS: pingTimeoutMs });
      // The driver may wait longer for a connection. A late result is ignored.
      pinged.catch(() => undefined);
      const responded = new AbortController();
      const late = sleep(pingTimeoutMs, undefined, { signal: responded.signal }).then(() => {
        throw unavailable("STORAGE_UNAVAILABLE", "The database does not respond.");
      });
      late.catch(() => undefined);
      await Promise.race([pinged, late]).finally(() => responded.abort());
    },
    async close() {
      const closed = connection.close();
      // An error after the time limit is ignored.
      closed.catch(() => undefined);
      await Promise.race([closed, sleep(closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** Connects. With a logger, attempts that find no server are repeated for a minute: services may start before their database. */
async function connect(client: { connect(): Promise<unknown> }, logger: Logger | undefined): Promise<void> {
  for (const deadline = Date.now() + connectWithinMs; ;) {
    try {
      await client.connect();
      return;
    } catch (error) {
      const isUnreachable = error instanceof mongoose.mongo.MongoServerSelectionError;
      if (logger === undefined || !isUnreachable || Date.now() > deadline) throw error;
      logger.warn({ err: error }, "The database cannot be reached; trying again");
    }
  }
}

/**
 * Retries after a timeout: building an index may take longer than `socketTimeoutMS`, and the next attempt waits for the same index. A full
 * disk is an error at once: only an operator can free space, and has to be told.
 */
async function retryUntilReady(work: () => Promise<unknown>, logger: Logger | undefined): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await work();
      return;
    } catch (error) {
      const problem = storageProblem(error);
      if (problem === undefined || Date.now() > deadline) throw error;
      if (getProblemFacts(problem).reason === "STORAGE_FULL") throw error;
      if (isFirst) logger?.warn({ err: error }, "The collections and indexes cannot be created yet; trying again");
      await sleep(1_000);
    }
  }
}
