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
  const { deserialize, EJSON } = mongoose.mongo.BSON;
  /** What was read before, by its bytes. Most documents are the same in all states. */
  const known = new Map<string, { id: string; text: string }>();
  const toKnown = (bytes: Buffer): { id: string; text: string } => {
    const document = deserialize(bytes);
    return { id: EJSON.stringify(document["_id"]), text: EJSON.stringify(document) };
  };
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
          const found = database.collection<Buffer>(collection.name);
          for (const bytes of await found.find({}, { raw: true, projection: { lastUsedAt: 0 } }).toArray()) {
            const place = bytes.toString("latin1");
            const { id, text } = known.get(place) ?? toKnown(bytes);
            known.set(place, { id, text });
            all.set(`${name}.${collection.name}/${id}`, text);
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
