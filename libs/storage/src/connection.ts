import { channel } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import mongoose from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";
import { storageProblem, unavailable } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { createGather } from "./gathering.ts";
import type { Gather } from "./gathering.ts";
import { createIdempotency } from "./idempotency/idempotent.ts";
import { createKeyStore } from "./idempotency/key-store.ts";
import { createIndexes } from "./model-indexes.ts";
import { sentCommands } from "./sent-commands.ts";
import type { SentCommand } from "./sent-commands.ts";
import { createTransactions } from "./transactions.ts";
import type { ToAnswer, Atomically } from "./transactions.ts";

/** One service's database. */
export interface Storage {
  /** Where the service's stores register their models, before `ready`. */
  readonly connection: Connection;
  /** The one way to write more than one document: all of it or nothing. */
  readonly atomically: Atomically;
  /** Changes of one document that come from many calls at once, some of them in each transaction. */
  readonly gather: Gather;
  /** A write that needs no transaction of its own: it gets one, with a session, only for an effect that is to be kept with a key. */
  readonly withKey: <Result>(
    write: (session: ClientSession | undefined) => Promise<Result>,
    toAnswer: ToAnswer<Result>,
  ) => Promise<Result>;
  /**
   * The same service, but its methods that take an idempotency key (`takesIdempotencyKey`) answer a request that comes again with
   * the answer that it had, for 24 hours, and do nothing: the header `idempotency-replayed` says so. A key is its token's, in all
   * services over this storage. Throws FailedPrecondition IDEMPOTENCY_KEY_REUSED for the key of another request, Aborted
   * IDEMPOTENCY_KEY_IN_USE while the first is being answered, and AlreadyExists SECRET_ALREADY_ISSUED where the answer had a secret
   * (`debug_redact` in the contract). Failures are not kept. Every such method must give `atomically` or `withKey` what it answers.
   */
  readonly idempotent: (registration: ServiceRegistration) => ServiceRegistration;
  /**
   * Resolves when the collections and indexes of all registered models exist; a service serves nothing before. Indexes that an older
   * collection lacks are built together; the logger says so, and how long that takes.
   */
  ready(logger?: Logger): Promise<void>;
  /** Resolves when the database answers and takes writes; rejects otherwise, with Unavailable when there is no answer within a second. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A MongoDB connection string, and the database of the service. */
export interface StorageOptions {
  uri: string;
  database: string;
  /** The clock of idempotency keys, in milliseconds. */
  now?: () => number;
  /** After how long without a sign of life a request with a key counts as given up, in milliseconds. */
  keyLeaseMs?: number;
  /** Whether the database belongs to this process: requests with a key that earlier processes left unanswered count as given up. */
  alone?: boolean;
}

/**
 * How long the driver waits, in milliseconds. A primary that hangs, with its connections open, is noticed after a missed heartbeat; what
 * it was asked is then asked of the next one, which is looked for as long as an election takes. By default all that takes 36 s.
 */
const timeouts = {
  connectTimeoutMS: 3_000,
  heartbeatFrequencyMS: 1_000,
  serverSelectionTimeoutMS: 10_000,
  waitQueueTimeoutMS: 10_000,
  // Of a connection that is silent though the server lives. Nothing that services ask takes so long, but building an index.
  socketTimeoutMS: 30_000,
};
/** How long collections and indexes are waited for. */
const readyTimeoutMs = 600_000;
/** How long the answer to a ping is waited for, in milliseconds. */
const pingTimeoutMs = 1_000;
/** How long the answers of idempotency keys are kept (api.md 8). */
const answerRetentionMs = 24 * 60 * 60 * 1000;

/**
 * Connects to a service's database. Filters are sanitised (an object with operators must be marked with mongoose's `trusted`), and
 * neither filters nor documents may name fields that their schema does not have. Writes are acknowledged by the majority.
 */
export async function connectStorage({
  uri,
  database,
  now = Date.now,
  keyLeaseMs = 5_000,
  alone = false,
}: StorageOptions): Promise<Storage> {
  // An instance of its own, so that these settings are nobody else's.
  const instance = new mongoose.Mongoose({ sanitizeFilter: true, strictQuery: "throw" });
  // What is set on an instance counts for the schemas made with it only, and stores make theirs with the default one.
  instance.plugin((schema) => schema.set("strict", "throw"));
  const sent = channel(sentCommands);
  const connection = await instance
    .createConnection(uri, {
      dbName: database,
      autoCreate: false,
      autoIndex: false,
      // While the database is gone, the driver waits for it and says so; mongoose would do it again, with an error of no name.
      bufferCommands: false,
      w: "majority",
      readPreference: "primary",
      ...timeouts,
      retryWrites: true,
      monitorCommands: sent.hasSubscribers,
    })
    .asPromise();
  if (sent.hasSubscribers) {
    const client = connection.getClient();
    client.on("commandStarted", ({ databaseName, command }) =>
      sent.publish({ client, databaseName, command } satisfies SentCommand),
    );
  }
  const keys = createKeyStore(connection, { now, retentionMs: answerRetentionMs, leaseMs: keyLeaseMs, alone });
  const { idempotent, current } = createIdempotency(keys, keyLeaseMs);
  const atomically = createTransactions(connection, current);
  return {
    connection,
    atomically,
    gather: createGather(atomically, current),
    idempotent,
    withKey: (write, toAnswer) => (current() === undefined ? write(undefined) : atomically(write, toAnswer)),
    async ready(logger) {
      for (const model of Object.values<Model<unknown>>(connection.models)) {
        await patiently(() => model.createCollection());
        await patiently(() => createIndexes(model, logger));
      }
    },
    async ping() {
      const pinged = connection.getClient().db(database).command({ ping: 1 }, { timeoutMS: pingTimeoutMs });
      // The driver may wait longer for a connection. Its answer, late as it is, is nobody's then.
      pinged.catch(() => undefined);
      const answered = new AbortController();
      const late = sleep(pingTimeoutMs, undefined, { signal: answered.signal }).then(() => {
        throw unavailable("STORAGE_UNAVAILABLE", "The database does not answer.");
      });
      late.catch(() => undefined);
      await Promise.race([pinged, late]).finally(() => answered.abort());
    },
    close: () => connection.close(),
  };
}

/** Building an index may hold up a connection for longer than it may be silent; asking again waits for the same index. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (const until = Date.now() + readyTimeoutMs; ;) {
    try {
      await work();
      return;
    } catch (error) {
      if (storageProblem(error) === undefined || Date.now() > until) throw error;
      await sleep(1_000);
    }
  }
}
