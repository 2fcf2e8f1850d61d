import type { mongo } from "mongoose";
import { compareCollection, findPresentIds, isExpired, toComparableIndex } from "./comparison.ts";
import type { Comparison } from "./comparison.ts";
import { splitBatches } from "./raw-documents.ts";
import { readIndexes, listCollections, listServiceDatabases } from "./source.ts";
import type { CollectionDescription, Source } from "./source.ts";

/** The result of importing one collection. */
export interface ImportedCollection extends CollectionDescription {
  /** The number of documents that this import wrote. */
  readonly inserted: number;
  /** The number of documents that the target already had. */
  readonly existing: number;
  /** The number of documents that were skipped because a TTL index has expired them. */
  readonly expired: number;
  /** The SHA-256 of the target's documents in the order of `_id`. */
  readonly sha256: string;
}

/**
 * Imports a source into the databases of the same names. Before it writes anything, it compares the whole target with the source, and
 * throws if the target has a different collection, document or index, or documents that the source does not have. Existing equal
 * documents are kept, so an interrupted import can be run again. After writing, it reads the target again and compares every document.
 * TTL indexes are created last, so nothing expires during the import.
 *
 * With `replace`, the target's databases are dropped first.
 */
export async function importInto(
  client: mongo.MongoClient,
  source: Source,
  { replace, onImported }: { replace: boolean; onImported: (collection: ImportedCollection) => void },
): Promise<void> {
  await checkTransactions(client);
  if (replace) for (const database of await listDatabases(client, source)) await client.db(database).dropDatabase();
  await checkCollections(client, source);
  const getTarget = ({ database, name }: CollectionDescription) => client.db(database).collection(name);
  const before = new Map<CollectionDescription, Comparison>();
  for (const described of source.collections) {
    await checkIndexes(described, getTarget(described));
    before.set(described, await compareCollection(source, described, getTarget(described)));
  }
  for (const [described, comparison] of before) {
    const target = getTarget(described);
    await createCollection(client, described);
    await createIndexes(described, target, false);
    if (comparison.missing > 0) await insertMissing(source, described, target);
    const after = comparison.missing > 0 ? await compareCollection(source, described, target) : comparison;
    if (after.missing > 0)
      throw new Error(`${getNamespace(described)} lacks ${after.missing} documents after the import`);
    await createIndexes(described, target, true);
    await checkIndexes(described, target, true);
    const inserted = after.same - comparison.same;
    onImported({ ...described, inserted, existing: comparison.same, expired: after.expired, sha256: after.sha256 });
  }
}

const getNamespace = ({ database, name }: CollectionDescription): string => `${database}.${name}`;

async function listDatabases(client: mongo.MongoClient, source: Source): Promise<string[]> {
  return [...new Set([...source.collections.map(({ database }) => database), ...(await listServiceDatabases(client))])];
}

/** Services need transactions, which a standalone MongoDB server does not support. */
async function checkTransactions(client: mongo.MongoClient): Promise<void> {
  const hello = await client.db("admin").command({ hello: 1 });
  if (hello["setName"] !== undefined || hello["msg"] === "isdbgrid") return;
  throw new Error("the target is a MongoDB without transactions; it must be a replica set or a sharded cluster");
}

async function checkCollections(client: mongo.MongoClient, source: Source): Promise<void> {
  const known = new Set(source.collections.map(getNamespace));
  for (const database of await listDatabases(client, source)) {
    for (const { name, type } of await listCollections(client, database)) {
      if (known.has(`${database}.${name}`) && type === "collection") continue;
      // Services create their collections at start-up, possibly in a later version. An empty collection is not a conflict.
      if (type === "collection" && (await client.db(database).collection(name).findOne()) === null) continue;
      throw new Error(`the target has the ${type} ${database}.${name}, which ${source.name} does not have`);
    }
  }
}

/** Throws if the target has a different index of the same name or, with `complete`, if an index of the source is missing. */
async function checkIndexes(described: CollectionDescription, target: mongo.Collection, complete = false) {
  const existing = new Map(
    (await readIndexes(target)).map((definition) => [definition["name"], toComparableIndex(definition)]),
  );
  for (const definition of described.indexes) {
    const found = existing.get(definition["name"]);
    if (found === undefined ? !complete : found === toComparableIndex(definition)) continue;
    const index = `the index ${String(definition["name"])} of ${getNamespace(described)}`;
    throw new Error(found === undefined ? `${index} is missing` : `${index} in the target differs: ${found}`);
  }
}

async function createCollection(client: mongo.MongoClient, { database, name, options }: CollectionDescription) {
  try {
    await client.db(database).createCollection(name, options);
  } catch (error) {
    if ((error as mongo.MongoServerError).codeName !== "NamespaceExists") throw error;
  }
}

async function createIndexes(described: CollectionDescription, target: mongo.Collection, expiring: boolean) {
  const wanted = described.indexes.filter(({ expireAfterSeconds }) => (expireAfterSeconds !== undefined) === expiring);
  if (wanted.length === 0) return;
  try {
    await target.createIndexes(wanted as mongo.IndexDescription[]);
  } catch (error) {
    throw new Error(`an index of ${getNamespace(described)} cannot be created: ${String(error)}`, { cause: error });
  }
}

async function insertMissing(source: Source, described: CollectionDescription, target: mongo.Collection) {
  for await (const batch of splitBatches(source.documents(described))) {
    const present = await findPresentIds(target, batch);
    const missing = batch.filter(({ id, document }) => !present.has(id) && !isExpired(document, described.indexes));
    if (missing.length === 0) continue;
    try {
      await target.insertMany(missing.map(({ document }) => document));
    } catch (error) {
      throw new Error(`${getNamespace(described)} did not accept all documents: ${String(error)}`, { cause: error });
    }
  }
}
