import { createEmbeddedMongoServer, startEmbeddedMongo } from "@switchyard/embedded-mongo";
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

/** Where the data of a test's database is, and where it runs. */
export interface TestDatabaseOptions {
  /** The folder of the data; in memory or a temporary folder by default. */
  folder?: string | undefined;
  /**
   * Whether the embedded store runs in a thread of its own, as in the product. By default, it does if it has a folder, and always with the
   * full counts. In the thread of the test, a system starts in half the time, and every command takes less processor time.
   */
  ownThread?: boolean | undefined;
}

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";

/** Starts a database server for a test: the `mongod` of MONGOD_BINARY, or otherwise the embedded store. */
export async function startTestDatabase({ folder: kept, ownThread }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  if (mongod === "") {
    const start = (ownThread ?? (isLong || kept !== undefined)) ? startEmbeddedMongo : createEmbeddedMongoServer;
    return start({ folder: kept ?? ":memory:" });
  }
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
