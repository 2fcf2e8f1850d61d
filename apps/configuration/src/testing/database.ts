import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { startMongod } from "@switchyard/storage";

/** A database server for a test. */
export interface TestDatabase {
  uri: string;
  close(): Promise<void>;
}

/** Starts a server for one test file: this mongod when one is named, else the embedded server in memory. */
export async function startTestDatabase(mongod: string | undefined): Promise<TestDatabase> {
  if (mongod === undefined || mongod === "") return startEmbeddedMongo({ folder: ":memory:" });
  const folder = await mkdtemp(join(tmpdir(), "switchyard-mongod-"));
  const server = await startMongod({ binary: mongod, folder });
  return {
    uri: server.uri,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
