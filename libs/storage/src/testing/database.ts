import { startEmbeddedMongo } from "../../../embedded-mongo/src/index.ts";
import { startMongod } from "./mongod.ts";

/** A database server for a test. */
export interface TestDatabase {
  uri: string;
  close(): Promise<void>;
}

/** Starts a server for one test file: the mongod named by MONGOD_BINARY when set, else the embedded one in memory. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const binary = process.env["MONGOD_BINARY"];
  if (binary !== undefined && binary !== "") return startMongod(binary);
  return startEmbeddedMongo({ folder: ":memory:" });
}
