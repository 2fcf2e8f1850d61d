import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { createTransactions } from "./transactions.ts";
import type { Atomically } from "./transactions.ts";

/** One service's database. */
export interface Storage {
  /** Where the service's stores register their models, before `ready`. */
  readonly connection: Connection;
  /** The one way to write more than one document: all of it or nothing. */
  readonly atomically: Atomically;
  /** Resolves when the collections and indexes of all registered models exist; a service serves nothing before. */
  ready(): Promise<void>;
  /** Resolves when the database answers; rejects otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A MongoDB connection string, and the database of the service. */
export interface StorageOptions {
  uri: string;
  database: string;
}

/**
 * Connects to a service's database. Filters are sanitised (an object with operators must be marked with mongoose's `trusted`), and
 * neither filters nor documents may name fields that their schema does not have. Writes are acknowledged by the majority.
 */
export async function connectStorage({ uri, database }: StorageOptions): Promise<Storage> {
  // An instance of its own, so that these settings are nobody else's.
  const instance = new mongoose.Mongoose({ sanitizeFilter: true, strictQuery: "throw" });
  // What is set on an instance counts for the schemas made with it only, and stores make theirs with the default one.
  instance.plugin((schema) => schema.set("strict", "throw"));
  const connection = await instance
    .createConnection(uri, {
      dbName: database,
      autoCreate: false,
      autoIndex: false,
      // While the database is gone, the driver waits for it and says so; mongoose would do it again, with an error of no name.
      bufferCommands: false,
      w: "majority",
      readPreference: "primary",
      serverSelectionTimeoutMS: 10_000,
      retryWrites: true,
    })
    .asPromise();
  return {
    connection,
    atomically: createTransactions(connection),
    async ready() {
      for (const model of Object.values(connection.models)) {
        await model.createCollection();
        await model.createIndexes();
      }
    },
    async ping() {
      await connection.getClient().db(database).command({ ping: 1 }, { timeoutMS: 2_000 });
    },
    close: () => connection.close(),
  };
}
