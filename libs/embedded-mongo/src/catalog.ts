import { serverError } from "./errors.ts";
import { parseIndex, type IndexDefinition } from "./index-definition.ts";
import type { Sqlite } from "./sqlite.ts";
import { decode, encode } from "./values.ts";
import { Int32 } from "bson";

/** An index of a collection. */
export interface Index {
  readonly id: number;
  readonly definition: IndexDefinition;
  /** For each field: whether some document has an array on its path. Never goes back to false. */
  readonly multikey: boolean[];
  /** Which of `multikey` are on disk. */
  saved: boolean[];
}

/** A collection. Its documents are in the table `documents_<id>`, the keys of an index in `keys_<index id>`. */
export interface Collection {
  readonly id: number;
  readonly database: string;
  readonly name: string;
  readonly indexes: Index[];
  nextRecord: number;
  dropped: boolean;
}

/** Which collections and indexes there are. Changes belong to the SQLite transaction in which they are made. */
export interface Catalog {
  find(database: string, name: string): Collection | undefined;
  list(database?: string): Collection[];
  create(database: string, name: string): Collection;
  drop(collection: Collection): void;
  addIndex(collection: Collection, definition: IndexDefinition): Index;
  dropIndex(collection: Collection, index: Index): void;
  /** Notes that documents have arrays on these fields of an index; `save` writes it to disk. */
  markMultikey(index: Index, multikey: readonly boolean[], save: boolean): void;
  /** Reads everything again: after a rollback. */
  reload(): void;
}

/** Opens the catalog of a data file. */
export function openCatalog(sqlite: Sqlite): Catalog {
  const collections = new Map<string, Collection>();
  let nextId = 0;
  let nextIndexId = 0;
  const keyOf = (database: string, name: string): string => `${database}.${name}`;

  function load(): void {
    const known = new Map([...collections.values()].map((collection) => [collection.id, collection]));
    collections.clear();
    for (const row of sqlite.statement("SELECT id, database, name FROM collections ORDER BY id").all()) {
      const id = row["id"] as number;
      const last = sqlite.statement(`SELECT max(record) AS last FROM documents_${id}`).get();
      const collection: Collection = known.get(id) ?? {
        id,
        database: row["database"] as string,
        name: row["name"] as string,
        indexes: [],
        nextRecord: 1 + ((last?.["last"] as number | null) ?? 0),
        dropped: false,
      };
      collection.dropped = false;
      known.delete(id);
      const indexes = sqlite
        .statement("SELECT id, specification, multikey FROM indexes WHERE collection = ? ORDER BY id")
        .all(id)
        .map((each) => {
          const multikey = [...(each["multikey"] as string)].map((flag) => flag === "1");
          const before = collection.indexes.find((index) => index.id === each["id"]);
          if (before !== undefined) before.saved = multikey;
          const specification = decode(each["specification"] as Uint8Array);
          return (
            before ?? {
              id: each["id"] as number,
              definition: parseIndex(specification),
              multikey,
              saved: [...multikey],
            }
          );
        });
      collection.indexes.splice(0, collection.indexes.length, ...indexes);
      collections.set(keyOf(collection.database, collection.name), collection);
    }
    for (const gone of known.values()) gone.dropped = true;
    // From SQLite's own counters: an id is never given twice, whatever is still in memory under it.
    for (const row of sqlite.statement("SELECT name, seq FROM sqlite_sequence").all()) {
      if (row["name"] === "collections") nextId = Math.max(nextId, row["seq"] as number);
      if (row["name"] === "indexes") nextIndexId = Math.max(nextIndexId, row["seq"] as number);
    }
  }
  load();

  const catalog: Catalog = {
    find: (database, name) => collections.get(keyOf(database, name)),
    list: (database) =>
      [...collections.values()]
        .filter((collection) => database === undefined || collection.database === database)
        .sort((left, right) => (left.name < right.name ? -1 : 1)),
    create(database, name) {
      checkName(database, name);
      const collection: Collection = {
        id: ++nextId,
        database,
        name,
        indexes: [],
        nextRecord: 1,
        dropped: false,
      };
      sqlite.run("INSERT INTO collections (id, database, name) VALUES (?, ?, ?)", collection.id, database, name);
      sqlite.execute(`CREATE TABLE documents_${collection.id} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
      collections.set(keyOf(database, name), collection);
      catalog.addIndex(collection, parseIndex({ key: { _id: new Int32(1) }, name: "_id_" }));
      return collection;
    },
    drop(collection) {
      for (const index of [...collection.indexes]) catalog.dropIndex(collection, index);
      sqlite.execute(`DROP TABLE documents_${collection.id}`);
      sqlite.run("DELETE FROM collections WHERE id = ?", collection.id);
      collections.delete(keyOf(collection.database, collection.name));
      collection.dropped = true;
    },
    addIndex(collection, definition) {
      const none = definition.fields.map(() => false);
      const index: Index = { id: ++nextIndexId, definition, multikey: none, saved: [...none] };
      sqlite.run(
        "INSERT INTO indexes (id, collection, specification, multikey) VALUES (?, ?, ?, ?)",
        index.id,
        collection.id,
        encode(definition.specification),
        flagsOf(none),
      );
      sqlite.execute(`CREATE TABLE keys_${index.id} (
        key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID`);
      collection.indexes.push(index);
      return index;
    },
    dropIndex(collection, index) {
      sqlite.execute(`DROP TABLE keys_${index.id}`);
      sqlite.run("DELETE FROM indexes WHERE id = ?", index.id);
      collection.indexes.splice(collection.indexes.indexOf(index), 1);
    },
    markMultikey(index, multikey, save) {
      multikey.forEach((flag, at) => {
        if (flag) index.multikey[at] = true;
      });
      if (save && index.multikey.some((flag, at) => flag && index.saved[at] !== true)) {
        sqlite.run("UPDATE indexes SET multikey = ? WHERE id = ?", flagsOf(index.multikey), index.id);
        index.saved = [...index.multikey];
      }
    },
    reload: load,
  };
  return catalog;
}

function flagsOf(multikey: readonly boolean[]): string {
  return multikey.map((flag) => (flag ? "1" : "0")).join("");
}

function checkName(database: string, name: string): void {
  if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(database)) {
    throw serverError("InvalidNamespace", `Invalid database name: ${database}`);
  }
  if (name === "" || name.includes("$") || name.includes("\0") || name.startsWith("system.") || name.startsWith(".")) {
    throw serverError("InvalidNamespace", `Invalid collection name: ${name}`);
  }
  if (database === "admin" || database === "local" || database === "config") {
    throw serverError("InvalidNamespace", `the database ${database} is reserved`);
  }
}
