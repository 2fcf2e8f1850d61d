import { createTokenPepper, hasRootSecret, loadRootSecret } from "@switchyard/access";
import { checkTokenPepper, databaseName } from "@switchyard/configuration";
import { connectStorage } from "@switchyard/storage";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { openDatabase } from "./database.ts";
import type { Database } from "./database.ts";

/** The database of a server, and the root secret that belongs to it. */
export interface Installation {
  database: Database;
  secret: Uint8Array;
}

/**
 * Opens the database and loads the root secret, and creates both for a new installation. Throws an error with the remedy if only one of
 * them exists, or if they do not belong together, because no token would be valid with another secret.
 */
export async function openInstallation(config: Config): Promise<Installation> {
  const { dataFolder: folder, secret } = config;
  const hasSecret = await hasRootSecret({ secret, folder });
  if (secret === undefined && config.mongodbUri === undefined && hasSecret && !hasStore(folder))
    throw new Error(
      `there is a root secret in ${folder}, but no store. If the store was lost, restore it from a backup into this folder. ` +
        `If it is in another place, set SWITCHYARD_DATA or MONGODB_URI. To start with an empty store, remove the file ${join(folder, "secret")}.`,
    );
  // The store is created first, so that an interrupted start leaves no secret without a store.
  const database = await openDatabase(config);
  try {
    if (!hasSecret) await check(database, undefined);
    const loaded = await loadRootSecret({ secret, folder });
    await check(database, createTokenPepper(loaded));
    return { database, secret: loaded };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Whether the folder contains data of the embedded store or of a `mongod`. */
function hasStore(folder: string): boolean {
  return ["store/embedded-mongo.sqlite", "mongod"].some((name) => existsSync(join(folder, name)));
}

async function check({ uri }: Database, tokenPepper: Uint8Array | undefined): Promise<void> {
  const storage = await connectStorage({ uri, database: databaseName });
  try {
    await checkTokenPepper(storage, tokenPepper);
  } finally {
    await storage.close();
  }
}
