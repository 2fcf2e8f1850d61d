import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { startMongod } from "@switchyard/storage";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A database of a test's own, which is gone after `close`. */
export interface TestDatabase {
  uri: string;
  close(): Promise<void>;
}

/** What tests run on: a real MongoDB when MONGOD_BINARY names one, else the embedded store. */
export const databaseName = process.env["MONGOD_BINARY"] === undefined ? "embedded store" : "MongoDB";

/** Starts a database for a test, in a folder that is removed with it. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const binary = process.env["MONGOD_BINARY"];
  const folder = await mkdtemp(join(tmpdir(), "switchyard-store-"));
  const database = binary === undefined ? await startEmbeddedMongo({ folder }) : await startMongod({ binary, folder });
  return {
    uri: database.uri,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
