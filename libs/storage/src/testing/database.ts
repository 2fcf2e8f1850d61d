import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { startMongod } from "@switchyard/local-mongod";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A database server for a test, which is removed by `close`. */
export interface TestDatabase {
  uri: string;
  close(): Promise<void>;
}

const mongod = process.env["MONGOD_BINARY"] ?? "";

/** The name of the database that tests use: a real MongoDB if MONGOD_BINARY is set, and otherwise the embedded store. */
export const testDatabaseName = mongod === "" ? "embedded store" : "MongoDB";

/**
 * Starts a database server for a test: the `mongod` of MONGOD_BINARY, or otherwise the embedded store, in memory unless a folder is given.
 */
export async function startTestDatabase(kept?: string): Promise<TestDatabase> {
  if (mongod === "") return startEmbeddedMongo({ folder: kept ?? ":memory:" });
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "switchyard-mongod-")));
  const server = await startMongod({ binary: mongod, folder });
  return {
    uri: server.uri,
    async close() {
      await server.close();
      if (kept === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Provides the database of a suite: starts it before the first test and closes it after the last. */
export function useDatabase(provide: () => Promise<TestDatabase>): Pick<TestDatabase, "uri"> {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await provide();
  }, 120_000);
  afterAll(() => database?.close());
  return {
    get uri() {
      if (database === undefined) throw new Error("The database is only available within tests");
      return database.uri;
    },
  };
}
