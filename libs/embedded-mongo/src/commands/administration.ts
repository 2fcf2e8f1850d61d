import { integerOf } from "../arithmetic.ts";
import type { Collection } from "../catalog.ts";
import { serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { parseIndex, sameDefinition, sameKey, type IndexDefinition } from "../index-definition.ts";
import { compileFilter } from "../matcher.ts";
import { encode, isDocument, textOf, truthOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, collectionOf, documentsIn, done, type Call } from "./command.ts";

export function create(call: Call): Reply {
  const name = collectionName(call);
  if (collectionOf(call) !== undefined) {
    throw serverError("NamespaceExists", `Collection ${call.database}.${name} already exists.`);
  }
  call.engine.catalog.create(call.database, name);
  return done();
}

export function drop(call: Call): Reply {
  const collection = existing(call);
  const nIndexesWas = integerOf(collection.indexes.length);
  dropCollection(call, collection);
  return done({ ns: `${call.database}.${collection.name}`, nIndexesWas });
}

export function dropDatabase(call: Call): Reply {
  const collections = call.engine.catalog.list(call.database);
  for (const collection of collections) dropCollection(call, collection);
  return done(collections.length > 0 ? { dropped: call.database } : {});
}

function dropCollection({ engine }: Call, collection: Collection): void {
  engine.transactions.checkCollection(collection);
  engine.transactions.noteDrop(collection.database, collection.name);
  engine.catalog.drop(collection);
}

export function listDatabases({ command, engine }: Call): Reply {
  const names = [...new Set(engine.catalog.list().map(({ database }) => database))].sort();
  const databases = names.map((name): Document => {
    if (truthOf(command["nameOnly"])) return { name };
    const empty = engine.catalog.list(name).every((collection) => engine.records.count(collection) === 0);
    return { name, sizeOnDisk: 0, empty };
  });
  return done({ databases: filtered(command, databases), totalSize: 0 });
}

export function listCollections(call: Call): Reply {
  const collections = call.engine.catalog.list(call.database).map(({ name, indexes }): Document => {
    const short = { name, type: "collection" };
    if (truthOf(call.command["nameOnly"])) return short;
    return { ...short, options: {}, info: { readOnly: false }, idIndex: indexes[0]?.definition.specification };
  });
  return listed(call, "$cmd.listCollections", filtered(call.command, collections));
}

export function listIndexes(call: Call): Reply {
  const { name, indexes } = existing(call);
  return listed(
    call,
    name,
    indexes.map(({ definition }) => definition.specification),
  );
}

function filtered({ filter }: Document, documents: Document[]): Document[] {
  const matches = compileFilter(parseFilter(filter ?? {}));
  return documents.filter((document) => matches(document));
}

/** A cursor whose first batch is the whole list: there are few collections and indexes. */
function listed({ command, database }: Call, name: string, documents: readonly Document[]): Reply {
  const { cursor } = command;
  if (isDocument(cursor)) checkFields("a cursor", cursor, ["batchSize"]);
  const namespace = `${database}.${name}`;
  return { fields: {}, cursor: { id: 0n, namespace, batchName: "firstBatch", batch: documents.map(encode) } };
}

export function createIndexes(call: Call): Reply {
  const { catalog, documents, transactions } = call.engine;
  const definitions = documentsIn(call.command, "indexes").map(parseIndex);
  const known = collectionOf(call);
  const collection = known ?? catalog.create(call.database, collectionName(call));
  const before = collection.indexes.length;
  for (const definition of definitions) {
    if (isThere(collection, definition)) continue;
    transactions.checkCollection(collection);
    documents.build(collection, catalog.addIndex(collection, definition));
  }
  const after = collection.indexes.length;
  return done({
    numIndexesBefore: integerOf(before),
    numIndexesAfter: integerOf(after),
    createdCollectionAutomatically: known === undefined,
    ...(before === after ? { note: "all indexes already exist" } : {}),
  });
}

/** Whether a collection has an index already; another one of its name, or of its fields and filter, is an error. */
function isThere({ indexes }: Collection, wanted: IndexDefinition): boolean {
  const existing = indexes.map(({ definition }) => definition);
  const sameName = existing.find(({ name }) => name === wanted.name);
  const sameFields = existing.find((index) => sameKey(index, wanted) && partialOf(index) === partialOf(wanted));
  if (sameFields !== undefined && sameDefinition(sameFields, wanted)) {
    if (sameName !== undefined || wanted.fields[0]?.name === "_id") return true;
    throw serverError("IndexOptionsConflict", `Index already exists with a different name: ${sameFields.name}`);
  }
  const other = sameName ?? sameFields;
  if (other === undefined) return false;
  throw serverError(
    sameName === sameFields || sameName === undefined ? "IndexOptionsConflict" : "IndexKeySpecsConflict",
    `An existing index (${other.name}) has the name or the fields of the requested index ${wanted.name}, but differs`,
  );
}

function partialOf({ partial }: IndexDefinition): string {
  return partial === undefined ? "" : textOf(partial.source);
}

export function dropIndexes(call: Call): Reply {
  const { catalog, transactions } = call.engine;
  const { index: wanted } = call.command;
  const collection = existing(call);
  const others = collection.indexes.filter(({ definition }) => definition.name !== "_id_");
  const names: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  const named = names.map((name) => {
    if (name === "_id_") throw serverError("InvalidOptions", "cannot drop _id index");
    const key = isDocument(name) ? parseIndex({ key: name, name: "dropped" }) : undefined;
    return others.find(({ definition }) => (key === undefined ? definition.name === name : sameKey(definition, key)));
  });
  const dropped = wanted === "*" ? others : named.filter((index) => index !== undefined);
  if (wanted !== "*" && dropped.length < names.length) {
    throw serverError("IndexNotFound", `index not found with name ${textOf(names)}`);
  }
  const nIndexesWas = integerOf(collection.indexes.length);
  if (dropped.length > 0) transactions.checkCollection(collection);
  for (const index of new Set(dropped)) catalog.dropIndex(collection, index);
  return done({ nIndexesWas });
}

function existing(call: Call): Collection {
  const collection = collectionOf(call);
  if (collection !== undefined) return collection;
  throw serverError("NamespaceNotFound", `ns does not exist: ${call.database}.${collectionName(call)}`);
}
