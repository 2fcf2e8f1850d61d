import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { makeDataFolder } from "@switchyard/environment";
import { startMongod } from "@switchyard/local-mongod";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** The database that the services store in. */
export interface Database {
  uri: string;
  /** What it is, for the start-up message. */
  name: string;
  /** Whether nobody else can use it: the lock on its folder is held, so whoever had it before is gone. */
  alone: boolean;
  close(): Promise<void>;
}

type DatabaseConfig = Pick<Config, "mongodbUri" | "mongodBinary" | "dataFolder">;

/**
 * Opens the database that the environment asks for: a replica set by its URI, a `mongod` that is started with its data in the data
 * folder, or the embedded store there. Services only ever see a URI.
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { mongodbUri, mongodBinary, dataFolder } = config;
  return mongodbUri === undefined && mongodBinary === undefined
    ? openEmbeddedStore(dataFolder, true)
    : openMongo(config);
}

/** Opens the MongoDB that the environment names. Throws when it names none. */
export async function openMongo({ mongodbUri, mongodBinary, dataFolder }: DatabaseConfig): Promise<Database> {
  if (mongodbUri !== undefined)
    return { uri: mongodbUri, name: "MongoDB at MONGODB_URI", alone: false, close: async () => undefined };
  if (mongodBinary === undefined) throw new Error("MONGODB_URI is not set: which MongoDB is meant?");
  await makeDataFolder(dataFolder);
  const mongod = await startMongod({ binary: mongodBinary, folder: join(dataFolder, "mongod") });
  return { ...mongod, name: "MongoDB of MONGOD_BINARY", alone: true };
}

/** Opens the embedded store of a data folder. Throws when a server runs on it, or, unless it may be made, when there is none. */
export async function openEmbeddedStore(dataFolder: string, make = false): Promise<Database> {
  const folder = join(dataFolder, "store");
  if (make) await makeDataFolder(dataFolder);
  else if (!existsSync(folder)) throw new Error(`there is no embedded store in ${dataFolder}`);
  const embedded = await startEmbeddedMongo({ folder });
  return { uri: embedded.uri, name: "embedded store", alone: true, close: () => embedded.close() };
}
