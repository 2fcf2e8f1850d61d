import { Buffer } from "node:buffer";
import { Int32 } from "bson";
import { integerOf } from "../arithmetic.ts";
import type { Collection } from "../catalog.ts";
import { notImplemented, serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { parseIndex, sameDefinition, sameKey } from "../index-definition.ts";
import { compileFilter } from "../matcher.ts";
import { encode, fieldOf, isDocument, truthOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, documentsIn, done, refuseOptions, type Call, type Command } from "./command.ts";

const outside = { inTransaction: false, retryable: false };

/** The commands about databases, collections and indexes. */
export const administrationCommands: { readonly [name: string]: Command } = {
  create: {
    ...outside,
    fields: [
      ...["capped", "timeseries", "clusteredIndex", "size", "max", "validator", "validationLevel", "validationAction"],
      ...["viewOn", "pipeline", "collation", "storageEngine", "indexOptionDefaults", "expireAfterSeconds"],
      ...["changeStreamPreAndPostImages", "encryptedFields", "autoIndexId"],
    ],
    run: create,
  },
  drop: { ...outside, fields: [], run: drop },
  dropDatabase: { ...outside, fields: [], run: dropDatabase },
  listDatabases: { ...outside, fields: ["filter", "nameOnly", "authorizedDatabases"], run: listDatabases },
  listCollections: {
    ...outside,
    fields: ["filter", "nameOnly", "authorizedCollections", "cursor"],
    run: listCollections,
  },
  createIndexes: { ...outside, fields: ["indexes", "commitQuorum", "ignoreUnknownIndexOptions"], run: createIndexes },
  listIndexes: { ...outside, fields: ["cursor"], run: listIndexes },
  dropIndexes: { ...outside, fields: ["index"], run: dropIndexes },
};

function create(call: Call): Reply {
  refuseOptions(
    "create",
    call.command,
    (administrationCommands["create"] as Command).fields.filter((name) => name !== "autoIndexId"),
  );
  const name = collectionName(call);
  if (call.server.engine.catalog.find(call.database, name) !== undefined) {
    throw serverError("NamespaceExists", `Collection ${call.database}.${name} already exists.`);
  }
  call.server.engine.catalog.create(call.database, name);
  return done();
}

function drop(call: Call): Reply {
  const collection = existing(call);
  const count = collection.indexes.length;
  dropCollection(call, collection);
  return done({ ns: `${call.database}.${collection.name}`, nIndexesWas: integerOf(count) });
}

function dropDatabase(call: Call): Reply {
  const collections = call.server.engine.catalog.list(call.database);
  for (const collection of collections) dropCollection(call, collection);
  return done(collections.length > 0 ? { dropped: call.database } : {});
}

function dropCollection(call: Call, collection: Collection): void {
  const { catalog, transactions } = call.server.engine;
  transactions.checkCollection(collection);
  transactions.noteDrop(collection.database, collection.name);
  catalog.drop(collection);
}

function listDatabases(call: Call): Reply {
  const { catalog, records } = call.server.engine;
  const names = [...new Set(catalog.list().map(({ database }) => database))].sort();
  const matches = compileFilter(parseFilter(fieldOf(call.command, "filter") ?? {}));
  const nameOnly = truthOf(call.command["nameOnly"]);
  const databases = names.map((name): Document => {
    if (nameOnly) return { name };
    const empty = catalog.list(name).every((collection) => records.count(collection) === 0);
    return { name, sizeOnDisk: integerOf(0), empty };
  });
  return done({ databases: databases.filter((database) => matches(database)), ...(nameOnly ? {} : { totalSize: 0 }) });
}

function listCollections(call: Call): Reply {
  const matches = compileFilter(parseFilter(fieldOf(call.command, "filter") ?? {}));
  const found = call.server.engine.catalog.list(call.database).map(({ name }): Document => {
    const short = { name, type: "collection" };
    if (truthOf(call.command["nameOnly"])) return short;
    const idIndex = { v: new Int32(2), key: { _id: new Int32(1) }, name: "_id_" };
    return { ...short, options: {}, info: { readOnly: false }, idIndex };
  });
  return listed(
    call,
    "$cmd.listCollections",
    found.filter((each) => matches(each)),
  );
}

function createIndexes(call: Call): Reply {
  const { catalog, documents, transactions } = call.server.engine;
  const definitions = documentsIn(call.command, "indexes").map(parseIndex);
  const name = collectionName(call);
  const known = catalog.find(call.database, name);
  const collection = known ?? catalog.create(call.database, name);
  const before = collection.indexes.length;
  for (const definition of definitions) {
    const sameName = collection.indexes.find((index) => index.definition.name === definition.name);
    const sameFields = collection.indexes.find(
      (index) => sameKey(index.definition, definition) && samePartial(index.definition.partial, definition.partial),
    );
    if (sameFields !== undefined && sameDefinition(sameFields.definition, definition)) {
      if (sameName !== undefined || definition.fields[0]?.name === "_id") continue;
      throw serverError(
        "IndexOptionsConflict",
        `Index already exists with a different name: ${sameFields.definition.name}`,
      );
    }
    if (sameName !== undefined) {
      const code = sameFields === sameName ? "IndexOptionsConflict" : "IndexKeySpecsConflict";
      throw serverError(
        code,
        `An existing index has the same name as the requested index ${definition.name} but differs`,
      );
    }
    if (sameFields !== undefined) {
      throw serverError(
        "IndexOptionsConflict",
        `An index with the same key but other options exists: ${sameFields.definition.name}`,
      );
    }
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

function samePartial(left: { source: Document } | undefined, right: { source: Document } | undefined): boolean {
  return Buffer.compare(encode(left?.source ?? {}), encode(right?.source ?? {})) === 0;
}

function listIndexes(call: Call): Reply {
  const collection = existing(call);
  return listed(
    call,
    collection.name,
    collection.indexes.map(({ definition }) => definition.specification),
  );
}

function dropIndexes(call: Call): Reply {
  const { catalog, transactions } = call.server.engine;
  const collection = existing(call);
  const wanted = fieldOf(call.command, "index");
  const before = collection.indexes.length;
  const others = collection.indexes.filter(({ definition }) => definition.name !== "_id_");
  let dropping = others;
  if (wanted !== "*") {
    const names = (Array.isArray(wanted) ? wanted : [wanted]) as unknown[];
    dropping = names.map((name) => {
      if (name === "_id_") throw serverError("InvalidOptions", "cannot drop _id index");
      const found = isDocument(name)
        ? others.find(({ definition }) => sameKey(definition, parseIndex({ key: name, name: "dropped" })))
        : others.find(({ definition }) => definition.name === name);
      if (found === undefined) throw serverError("IndexNotFound", `index not found with name [${String(name)}]`);
      return found;
    });
  }
  if (dropping.length > 0) transactions.checkCollection(collection);
  for (const index of dropping) catalog.dropIndex(collection, index);
  return done({ nIndexesWas: integerOf(before) });
}

function existing(call: Call): Collection {
  const name = collectionName(call);
  const collection = call.server.engine.catalog.find(call.database, name);
  if (collection === undefined) throw serverError("NamespaceNotFound", `ns does not exist: ${call.database}.${name}`);
  return collection;
}

function listed(call: Call, name: string, documents: readonly Document[]): Reply {
  const options = fieldOf(call.command, "cursor");
  if (options !== undefined && !isDocument(options)) throw notImplemented("a cursor option that is no document");
  if (options !== undefined) checkFields("a cursor", options, ["batchSize"]);
  // The whole list is one batch: there are few collections and indexes.
  const batch = documents.map(encode);
  return {
    fields: { ok: 1 },
    cursor: { id: 0n, namespace: `${call.database}.${name}`, batchName: "firstBatch", batch },
  };
}
