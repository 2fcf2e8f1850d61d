import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { startMongod } from "@switchyard/storage";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** The database that the services store in. */
export interface Database {
  uri: string;
  /** What it is, for the start-up message. */
  name: string;
  close(): Promise<void>;
}

/**
 * Opens the database that the environment asks for: a replica set by its URI, a `mongod` that is started with its data in the data
 * folder, or the embedded store there. Services only ever see a URI.
 */
export async function openDatabase(
  config: Pick<Config, "mongodbUri" | "mongodBinary" | "dataFolder">,
): Promise<Database> {
  const { mongodbUri, mongodBinary, dataFolder } = config;
  if (mongodbUri !== undefined)
    return { uri: mongodbUri, name: "MongoDB at MONGODB_URI", close: async () => undefined };
  if (mongodBinary !== undefined) {
    const mongod = await startMongod({ binary: mongodBinary, folder: join(dataFolder, "mongod") });
    return { ...mongod, name: "MongoDB of MONGOD_BINARY" };
  }
  const embedded = await startEmbeddedMongo({ folder: join(dataFolder, "store") });
  return { uri: embedded.uri, name: "embedded store", close: () => embedded.close() };
}
