import type { Collection, Index } from "../storage/catalog.ts";
import { notImplemented, serverError } from "../errors.ts";
import { parseFilter } from "../query/filter.ts";
import { fillIndexes } from "../indexes/index-building.ts";
import { parseIndex, type IndexDefinition } from "../indexes/index-definition.ts";
import { isSameValue } from "../values/key-encoding.ts";
import { compileFilter } from "../query/matcher.ts";
import { checkExists } from "../storage/records.ts";
import { encode, toText, type Document } from "../values/values.ts";
import type { Reply } from "../wire/wire.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { collectionName, findCollection, parseDocuments, getOrCreateCollection, type Call } from "./command.ts";
import { cursorOptions, openCursor } from "./reading.ts";

export function create(call: Call): Reply {
  if (findCollection(call) !== undefined) {
    throw serverError("NamespaceExists", `Collection ${call.database}.${collectionName(call)} already exists.`);
  }
  getOrCreateCollection(call);
  return {};
}

export function drop(call: Call): Reply {
  dropCollection(call, requireCollection(call));
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
  const bodies = requireCollection(call).indexes.map(({ definition }) => encode(definition.specification));
  return openCursor(call, collectionName(call), bodies, cursorOptions(call));
}

export function* createIndexes(call: Call): Steps<Reply> {
  const definitions = parseDocuments(call.command, "indexes").map(parseIndex);
  const collection = getOrCreateCollection(call);
  const numIndexesBefore = collection.indexes.length;
  const missing = yield* missingIndexes(call, collection, definitions);
  yield* buildIndexes(call, collection, missing);
  return { numIndexesBefore, numIndexesAfter: collection.indexes.length };
}

/**
 * Returns the indexes that a collection lacks. Waits for others that build one of them, and for uncommitted transactions that have changed
 * documents of the collection.
 */
function* missingIndexes(
  { engine }: Call,
  collection: Collection,
  definitions: readonly IndexDefinition[],
): Steps<IndexDefinition[]> {
  for (;;) {
    checkExists(collection);
    const missing = definitions.filter((definition) => {
      const same = sameIndex(collection, definition);
      return same === undefined || !collection.indexes.includes(same);
    });
    if (missing.length === 0) return missing;
    const conflict = engine.transactions.findConflict(collection);
    const [building] = missing.flatMap((each) => sameIndex(collection, each) ?? []);
    if (conflict === undefined && building === undefined) return missing;
    yield conflict ?? building?.built.promise;
  }
}

/** Builds several indexes, so that each document is read once for all of them. Either all are created or none. */
function* buildIndexes({ engine }: Call, collection: Collection, definitions: readonly IndexDefinition[]): Steps<void> {
  const { catalog } = engine;
  const building: Index[] = [];
  try {
    for (const definition of definitions) {
      // If the command contains an index twice, it is built once.
      if (sameIndex(collection, definition) === undefined) building.push(catalog.beginIndex(collection, definition));
    }
    yield* fillIndexes(engine, collection, building);
    checkExists(collection);
    for (const index of building) catalog.addIndex(collection, index);
  } finally {
    for (const index of building) catalog.abandonIndex(collection, index);
  }
}

/**
 * Returns the identical index of a collection, which may still be in construction. Throws if there is another index with the same name or
 * key.
 */
function sameIndex({ indexes, building }: Collection, { name, specification }: IndexDefinition): Index | undefined {
  const hasKey = (index: Document): boolean => isSameValue(index["key"], specification["key"]);
  const isLike = ({ definition }: Index): boolean => definition.name === name || hasKey(definition.specification);
  const index = [...indexes, ...building].find(isLike);
  const withoutBackground = ({ background: _, ...rest }: Document): Document => rest;
  const other = index?.definition.specification;
  if (other === undefined || isSameValue(withoutBackground(other), withoutBackground(specification))) return index;
  throw serverError(
    hasKey(other) ? "IndexOptionsConflict" : "IndexKeySpecsConflict",
    `The index ${toText(specification)} has the name or the key of the index ${toText(other)}, but differs`,
  );
}

export function dropIndexes(call: Call): Reply {
  const { catalog, transactions } = call.engine;
  const { index: wanted } = call.command;
  const collection = requireCollection(call);
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

function requireCollection(call: Call): Collection {
  const collection = findCollection(call);
  if (collection !== undefined) return collection;
  throw serverError("NamespaceNotFound", `ns does not exist: ${call.database}.${collectionName(call)}`);
}
