import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { makeDataFolder } from "@switchyard/environment";
import { startMongod } from "@switchyard/local-mongod";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** The database of the services. */
export interface Database {
  uri: string;
  /** The description in the start-up message. */
  name: string;
  /** Whether no other process can use it: this process holds the lock of its folder, so all previous ones have ended. */
  exclusive: boolean;
  close(): Promise<void>;
}

type DatabaseConfig = Pick<Config, "mongodbUri" | "mongodBinary" | "dataFolder">;

/**
 * Opens the configured database: a replica set by its connection string, a `mongod` that is started with its data in the data folder, or
 * the embedded store there. The services only see a connection string.
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { mongodbUri, mongodBinary, dataFolder } = config;
  return mongodbUri === undefined && mongodBinary === undefined
    ? openEmbeddedStore(dataFolder, true)
    : openMongo(config);
}

/** Opens the configured MongoDB. Throws if none is configured. */
export async function openMongo({ mongodbUri, mongodBinary, dataFolder }: DatabaseConfig): Promise<Database> {
  if (mongodbUri !== undefined)
    return { uri: mongodbUri, name: "MongoDB at MONGODB_URI", exclusive: false, close: async () => undefined };
  if (mongodBinary === undefined) throw new Error("MONGODB_URI is not set, so there is no MongoDB to use");
  await makeDataFolder(dataFolder);
  const started = startMongod({ binary: mongodBinary, folder: join(dataFolder, "mongod") });
  const mongod = await started.catch((error: Error) => {
    throw new Error(`MONGOD_BINARY: ${error.message}`, { cause: error });
  });
  return { ...mongod, name: "MongoDB of MONGOD_BINARY", exclusive: true };
}

/** Opens the embedded store of a data folder. Throws if another server uses it, or, unless `make` is true, if it does not exist. */
export async function openEmbeddedStore(dataFolder: string, make = false): Promise<Database> {
  const folder = join(dataFolder, "store");
  if (make) await makeDataFolder(dataFolder);
  else
    await access(folder).catch((error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      throw new Error(isMissing ? `there is no embedded store in ${dataFolder}` : error.message, { cause: error });
    });
  const embedded = await startEmbeddedMongo({ folder });
  return { uri: embedded.uri, name: "embedded store", exclusive: true, close: () => embedded.close() };
}
