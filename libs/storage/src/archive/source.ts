import mongoose from "mongoose";
import type { mongo } from "mongoose";
import { idFirst } from "./raw-documents.ts";

/** A collection as it is moved: where it is, and what it needs besides its documents. */
export interface CollectionDescription {
  readonly database: string;
  readonly name: string;
  /** As `create` takes them; the embedded store knows none. */
  readonly options: mongo.Document;
  /** As `createIndexes` takes them, without the one of `_id`. */
  readonly indexes: readonly mongo.Document[];
}

/** Where documents come from: an archive, or a database server. */
export interface Source {
  /** For messages. */
  readonly name: string;
  readonly collections: readonly CollectionDescription[];
  /** The documents of a collection in the order of `_id`, each with its `_id` first, one after the other. */
  documents(collection: CollectionDescription): AsyncIterable<Uint8Array>;
}

/** A connection to a database server, for reading and writing all of it. */
export async function connectForMoving(uri: string): Promise<mongo.MongoClient> {
  const options = { w: "majority", readPreference: "primary", serverSelectionTimeoutMS: 10_000 } as const;
  return new mongoose.mongo.MongoClient(uri, options).connect();
}

/** The databases of the services; others that a server holds are somebody else's. */
export async function serviceDatabases(client: mongo.MongoClient): Promise<string[]> {
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true, authorizedDatabases: true });
  return databases
    .map(({ name }) => name)
    .filter((name) => name.startsWith("switchyard_"))
    .sort();
}

/** All that the databases of the services on a server hold. Throws for what is no plain collection. */
export async function createServerSource(client: mongo.MongoClient, name: string): Promise<Source> {
  const collections: CollectionDescription[] = [];
  for (const database of await serviceDatabases(client)) {
    for (const found of await listCollections(client, database)) {
      if (found.type !== "collection") {
        throw new Error(`${database}.${found.name} is a ${found.type}, which cannot be moved`);
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

/** The collections of a database by name, without MongoDB's own. */
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

/** The definitions of a collection's indexes but that of `_id`; none when there is no such collection. */
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

/** The documents of a collection in the order of `_id`, as bytes. */
export async function* readDocuments(collection: mongo.Collection): AsyncGenerator<Uint8Array> {
  const cursor = collection.find({}, { raw: true, sort: { _id: 1 } });
  for await (const bytes of cursor) yield idFirst(bytes as unknown as Uint8Array);
}
