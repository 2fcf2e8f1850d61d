import type { mongo } from "mongoose";
import { compareCollection, idsPresent, isExpired, getIndexName } from "./comparison.ts";
import type { Comparison } from "./comparison.ts";
import { splitBatches } from "./raw-documents.ts";
import { readIndexes, listCollections, serviceDatabases } from "./source.ts";
import type { CollectionDescription, Source } from "./source.ts";

/** What became of a collection. */
export interface ImportedCollection extends CollectionDescription {
  /** Those that were written now. */
  readonly inserted: number;
  /** Those that were there already. */
  readonly already: number;
  /** Those whose time by a TTL index is over. */
  readonly expired: number;
  /** SHA-256 of the documents that the target has now, in the order of `_id`. */
  readonly sha256: string;
}

/**
 * Writes what a source has into the databases of the same names. Before anything is written, all of the target is compared: it throws,
 * naming what it found, when the target has a collection, document or index that differs, or documents that the source does not have.
 * Documents that are there already stay as they are, so it can be run again, also after it was killed. Afterwards the target is read
 * again and compared with the source, document by document. TTL indexes come last: until then, nothing is removed.
 *
 * With `replace`, the target's databases are dropped before.
 */
export async function importInto(
  client: mongo.MongoClient,
  source: Source,
  { replace, done }: { replace: boolean; done: (collection: ImportedCollection) => void },
): Promise<void> {
  await checkTransactions(client);
  if (replace) for (const database of await listDatabases(client, source)) await client.db(database).dropDatabase();
  await refuseForeignCollections(client, source);
  const getTarget = ({ database, name }: CollectionDescription) => client.db(database).collection(name);
  const before = new Map<CollectionDescription, Comparison>();
  for (const described of source.collections) {
    await refuseOtherIndexes(described, getTarget(described));
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
    await refuseOtherIndexes(described, target, true);
    const inserted = after.same - comparison.same;
    done({ ...described, inserted, already: comparison.same, expired: after.expired, sha256: after.sha256 });
  }
}

const getNamespace = ({ database, name }: CollectionDescription): string => `${database}.${name}`;

async function listDatabases(client: mongo.MongoClient, source: Source): Promise<string[]> {
  return [...new Set([...source.collections.map(({ database }) => database), ...(await serviceDatabases(client))])];
}

/** Services write in transactions, which a server by itself does not have. */
async function checkTransactions(client: mongo.MongoClient): Promise<void> {
  const hello = await client.db("admin").command({ hello: 1 });
  if (hello["setName"] !== undefined || hello["msg"] === "isdbgrid") return;
  throw new Error("the target is a MongoDB without transactions: it must be a replica set or a sharded cluster");
}

async function refuseForeignCollections(client: mongo.MongoClient, source: Source): Promise<void> {
  const known = new Set(source.collections.map(getNamespace));
  for (const database of await listDatabases(client, source)) {
    for (const { name, type } of await listCollections(client, database)) {
      if (known.has(`${database}.${name}`) && type === "collection") continue;
      // What the services make at their start is empty, and may be of a later version.
      if (type === "collection" && (await client.db(database).collection(name).findOne()) === null) continue;
      throw new Error(`the target has the ${type} ${database}.${name}, which ${source.name} does not have`);
    }
  }
}

/** Throws when an index of the target has the name of one of the source and differs, or, of a whole target, is missing. */
async function refuseOtherIndexes(described: CollectionDescription, target: mongo.Collection, whole = false) {
  const there = new Map(
    (await readIndexes(target)).map((definition) => [definition["name"], getIndexName(definition)]),
  );
  for (const definition of described.indexes) {
    const found = there.get(definition["name"]);
    if (found === undefined ? !whole : found === getIndexName(definition)) continue;
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
    throw new Error(`an index of ${getNamespace(described)} cannot be made: ${String(error)}`, { cause: error });
  }
}

async function insertMissing(source: Source, described: CollectionDescription, target: mongo.Collection) {
  for await (const batch of splitBatches(source.documents(described))) {
    const present = await idsPresent(target, batch);
    const missing = batch.filter(({ id, document }) => !present.has(id) && !isExpired(document, described.indexes));
    if (missing.length === 0) continue;
    try {
      await target.insertMany(missing.map(({ document }) => document));
    } catch (error) {
      throw new Error(`${getNamespace(described)} took not all documents: ${String(error)}`, { cause: error });
    }
  }
}
