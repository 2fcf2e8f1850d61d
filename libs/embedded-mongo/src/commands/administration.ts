import type { Collection, Index } from "../catalog.ts";
import { notImplemented, serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { parseIndex, type IndexDefinition } from "../index-definition.ts";
import { sameValue } from "../key-encoding.ts";
import { compileFilter } from "../matcher.ts";
import { encode, textOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import type { Steps } from "../turns.ts";
import { collectionName, collectionOf, documentsIn, madeCollection, type Call } from "./command.ts";
import { cursorOptions, openCursor } from "./reading.ts";

export function create(call: Call): Reply {
  if (collectionOf(call) !== undefined) {
    throw serverError("NamespaceExists", `Collection ${call.database}.${collectionName(call)} already exists.`);
  }
  madeCollection(call);
  return {};
}

export function drop(call: Call): Reply {
  dropCollection(call, existing(call));
  return {};
}

export function dropDatabase(call: Call): Reply {
  for (const collection of call.engine.catalog.list(call.database)) dropCollection(call, collection);
  return {};
}

function dropCollection({ engine }: Call, collection: Collection): void {
  engine.transactions.checkCollection(collection);
  engine.transactions.noteDrop(collection.database, collection.name);
  engine.catalog.drop(collection);
}

export function listDatabases({ engine }: Call): Reply {
  const names = new Set(engine.catalog.list().map(({ database }) => database));
  return { databases: [...names].sort().map((name) => ({ name, sizeOnDisk: 0, empty: false })) };
}

export function listCollections(call: Call): Steps<Reply> {
  const matches = compileFilter(parseFilter(call.command["filter"] ?? {}));
  const collections = call.engine.catalog.list(call.database).map(({ name, indexes }): Document => {
    const idIndex = indexes[0]?.definition.specification;
    return { name, type: "collection", options: {}, info: { readOnly: false }, idIndex };
  });
  const bodies = collections.filter((each) => matches(each)).map(encode);
  return openCursor(call, "$cmd.listCollections", bodies, cursorOptions(call));
}

export function listIndexes(call: Call): Steps<Reply> {
  const bodies = existing(call).indexes.map(({ definition }) => encode(definition.specification));
  return openCursor(call, collectionName(call), bodies, cursorOptions(call));
}

export function* createIndexes(call: Call): Steps<Reply> {
  const definitions = documentsIn(call.command, "indexes").map(parseIndex);
  const collection = madeCollection(call);
  const numIndexesBefore = collection.indexes.length;
  for (const definition of definitions) yield* createIndex(call, collection, definition);
  return { numIndexesBefore, numIndexesAfter: collection.indexes.length };
}

function* createIndex({ engine }: Call, collection: Collection, definition: IndexDefinition): Steps<void> {
  const { catalog, documents, transactions } = engine;
  for (;;) {
    const same = sameIndex(collection, definition);
    if (same !== undefined && collection.indexes.includes(same)) return;
    const inTheWay = transactions.inCollection(collection);
    if (same === undefined && inTheWay === undefined) break;
    // Another connection is building it, or a transaction has changed documents that are not committed yet.
    yield inTheWay;
  }
  const index = catalog.beginIndex(collection, definition);
  try {
    yield* documents.build(collection, index);
    catalog.addIndex(collection, index);
  } finally {
    catalog.giveUpIndex(collection, index);
  }
}

/** The index of a collection that is the same, perhaps still being built; another one of its name or its key is an error. */
function sameIndex({ indexes, building }: Collection, { name, specification }: IndexDefinition): Index | undefined {
  const hasKey = (index: Document): boolean => sameValue(index["key"], specification["key"]);
  const isLike = ({ definition }: Index): boolean => definition.name === name || hasKey(definition.specification);
  const index = [...indexes, ...building].find(isLike);
  const essence = ({ background: _, ...rest }: Document): Document => rest;
  const other = index?.definition.specification;
  if (other === undefined || sameValue(essence(other), essence(specification))) return index;
  throw serverError(
    hasKey(other) ? "IndexOptionsConflict" : "IndexKeySpecsConflict",
    `The index ${textOf(specification)} has the name or the key of the index ${textOf(other)}, but differs`,
  );
}

export function dropIndexes(call: Call): Reply {
  const { catalog, transactions } = call.engine;
  const { index: wanted } = call.command;
  const collection = existing(call);
  if (typeof wanted !== "string") throw notImplemented("dropping an index by anything but its name");
  if (wanted === "_id_") throw serverError("InvalidOptions", "cannot drop _id index");
  const others = collection.indexes.filter(({ definition }) => definition.name !== "_id_");
  const dropped = wanted === "*" ? others : others.filter(({ definition }) => definition.name === wanted);
  if (dropped.length === 0 && wanted !== "*") {
    throw serverError("IndexNotFound", `index not found with name [${wanted}]`);
  }
  if (dropped.length > 0) transactions.checkCollection(collection);
  for (const index of dropped) catalog.dropIndex(collection, index);
  return {};
}

function existing(call: Call): Collection {
  const collection = collectionOf(call);
  if (collection !== undefined) return collection;
  throw serverError("NamespaceNotFound", `ns does not exist: ${call.database}.${collectionName(call)}`);
}
