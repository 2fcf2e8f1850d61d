import { eventually } from "@switchyard/storage/testing";
import mongoose from "mongoose";

/** The content of a database server. */
export interface StoredState {
  /** Returns every document as canonical JSON, by "database.collection/id". */
  documents(): Promise<Map<string, string>>;
  close(): Promise<void>;
}

const internal = new Set(["admin", "config", "local"]);

/**
 * Reads all databases of a server, after all audit outboxes are empty, except for collections that are `ignored`. The last use of tokens is
 * omitted, because it is written later.
 */
export async function createStoredState(
  uri: string,
  ignored: (collection: string) => boolean = () => false,
): Promise<StoredState> {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  return {
    async documents() {
      const { databases } = await client.db().admin().listDatabases();
      const all = new Map<string, string>();
      const own = databases.filter((database) => !internal.has(database.name));
      for (const { name } of own) {
        const outbox = client.db(name).collection("audit_outbox");
        await eventually("the audit trail", async () => ((await outbox.countDocuments({})) === 0 ? true : undefined));
      }
      for (const { name } of own) {
        const database = client.db(name);
        for (const collection of await database.listCollections({}, { nameOnly: true }).toArray()) {
          if (ignored(collection.name)) continue;
          for (const document of await database.collection(collection.name).find().toArray()) {
            const key = `${name}.${collection.name}/${mongoose.mongo.BSON.EJSON.stringify(document._id)}`;
            const { lastUsedAt: _, ...kept } = document;
            all.set(key, mongoose.mongo.BSON.EJSON.stringify(kept));
          }
        }
      }
      return all;
    },
    close: () => client.close(),
  };
}

/** Returns the keys of documents that differ between two states. */
export function changesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
}
