import mongoose from "mongoose";
import type { mongo } from "mongoose";
import { putIdFirst } from "./raw-documents.ts";

/** The name, options and indexes of a collection. */
export interface CollectionDescription {
  readonly database: string;
  readonly name: string;
  /** The options of the `create` command. The embedded store has none. */
  readonly options: mongo.Document;
  /** Index definitions for the `createIndexes` command, without the index on `_id`. */
  readonly indexes: readonly mongo.Document[];
}

/** A source of collections and documents: an archive or a database server. */
export interface Source {
  /** A description for messages. */
  readonly name: string;
  readonly collections: readonly CollectionDescription[];
  /** Streams the documents of a collection in the order of `_id`. The first field of each document is `_id`. */
  documents(collection: CollectionDescription): AsyncIterable<Uint8Array>;
}

/** Connects to a database server for an export or import. */
export async function connectForTransfer(uri: string): Promise<mongo.MongoClient> {
  const options = { w: "majority", readPreference: "primary", serverSelectionTimeoutMS: 10_000 } as const;
  return new mongoose.mongo.MongoClient(uri, options).connect();
}

/** Lists the databases of Switchyard's services. Other databases on the server are ignored. */
export async function listServiceDatabases(client: mongo.MongoClient): Promise<string[]> {
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true, authorizedDatabases: true });
  return databases
    .map(({ name }) => name)
    .filter((name) => name.startsWith("switchyard_"))
    .sort();
}

/** Creates a source from the service databases on a server. Throws if one contains a view or another object that is not a collection. */
export async function createServerSource(client: mongo.MongoClient, name: string): Promise<Source> {
  const collections: CollectionDescription[] = [];
  for (const database of await listServiceDatabases(client)) {
    for (const found of await listCollections(client, database)) {
      if (found.type !== "collection") {
        throw new Error(`${database}.${found.name} is a ${found.type}, which cannot be exported`);
      }
      const indexes = await readIndexes(client.db(database).collection(found.name));
      collections.push({ database, name: found.name, options: found.options ?? {}, indexes });
    }
  }
  return {
    name,
    collections,
    documents: ({ database, name: collection }) => readDocuments(client.db(database).collection(collection)),
  };
}

/** Lists the collections of a database, sorted by name, without system collections. */
export async function listCollections(
  client: mongo.MongoClient,
  database: string,
): Promise<{ name: string; type: string; options?: mongo.Document }[]> {
  const found = (await client.db(database).listCollections().toArray()) as mongo.CollectionInfo[];
  return found
    .map(({ name, type, options }) => ({ name, type: type ?? "collection", ...(options && { options }) }))
    .filter(({ name }) => !name.startsWith("system."))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Reads the index definitions of a collection, except the index on `_id`. A missing collection has none. */
export async function readIndexes(collection: mongo.Collection): Promise<mongo.Document[]> {
  try {
    const found = await collection.listIndexes().toArray();
    return found
      .filter(({ name }) => name !== "_id_")
      .map(({ v: _version, ns: _namespace, ...definition }: mongo.Document) => definition);
  } catch (error) {
    if ((error as mongo.MongoServerError).codeName === "NamespaceNotFound") return [];
    throw error;
  }
}

/** Streams the documents of a collection as BSON, in the order of `_id`. */
export async function* readDocuments(collection: mongo.Collection): AsyncGenerator<Uint8Array> {
  const cursor = collection.find({}, { raw: true, sort: { _id: 1 } });
  for await (const bytes of cursor) yield putIdFirst(bytes as unknown as Uint8Array);
}
