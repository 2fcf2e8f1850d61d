import { Buffer } from "node:buffer";
import { Int32 } from "bson";
import { serverError } from "../errors.ts";
import { parseIndex, type IndexDefinition } from "../indexes/index-definition.ts";
import type { Sqlite } from "./sqlite.ts";
import type { Steps, TimeSlices } from "../scheduling/time-slices.ts";
import { decode, encode } from "../values/values.ts";

/** An index of a collection. */
export interface Index {
  readonly id: number;
  readonly definition: IndexDefinition;
  /** For each field, whether some document has, or had, an array on its path. */
  readonly multikey: boolean[];
  /** Resolves when it is no longer being built, whether it was completed or abandoned. */
  readonly built: PromiseWithResolvers<void>;
}

/** A collection. Its documents are in the table `documents_<id>`, the keys of an index in `keys_<index id>`. */
export interface Collection {
  readonly id: number;
  readonly database: string;
  readonly name: string;
  readonly indexes: Index[];
  /** Indexes that do not contain all documents yet. Writes add their keys; queries do not use them. */
  readonly building: Index[];
  /** The records that were written since the first index in `building` was begun; empty if none is being built. */
  readonly changed: Set<number>;
  nextRecord: number;
  dropped: boolean;
}

/** The collections and indexes. Changes are part of the SQLite transaction in which they are made. */
export class Catalog {
  readonly #sqlite: Sqlite;
  readonly #collections = new Map<string, Collection>();

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
    for (const row of sqlite.statement("SELECT id, database, name FROM collections").all()) {
      const { id, database, name } = row as unknown as Collection;
      const last = sqlite.statement(`SELECT max(record) AS record FROM documents_${id}`).get()?.["record"];
      const indexes = sqlite.statement("SELECT * FROM indexes WHERE collection = ? ORDER BY id").all(id).map(indexIn);
      const nextRecord = 1 + Number(last ?? 0);
      this.#collections.set(`${database}.${name}`, {
        id,
        database,
        name,
        indexes,
        building: [],
        changed: new Set(),
        nextRecord,
        dropped: false,
      });
    }
  }

  find(database: string, name: string): Collection | undefined {
    return this.#collections.get(`${database}.${name}`);
  }

  /** Lists the collections of a database, or of all databases, by name. */
  list(database?: string): Collection[] {
    const all = [...this.#collections.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    return database === undefined ? all : all.filter((each) => each.database === database);
  }

  create(database: string, name: string): Collection {
    checkName(database, name);
    const id = this.#sqlite.run("INSERT INTO collections (database, name) VALUES (?, ?)", database, name);
    this.#sqlite.run(`CREATE TABLE documents_${id} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
    const empty = { indexes: [], building: [], changed: new Set<number>() };
    const collection: Collection = { id, database, name, ...empty, nextRecord: 1, dropped: true };
    this.#setDropped(collection, false);
    this.addIndex(collection, this.beginIndex(collection, parseIndex({ key: { _id: new Int32(1) }, name: "_id_" })));
    return collection;
  }

  drop(collection: Collection): void {
    for (const index of [...collection.indexes]) this.dropIndex(collection, index);
    this.#sqlite.run("DELETE FROM collections WHERE id = ?", collection.id);
    this.#setDropped(collection, true);
  }

  /** Creates the table of an index. Its keys must be added before `addIndex`. */
  beginIndex(collection: Collection, definition: IndexDefinition): Index {
    const multikey = definition.fields.map(() => false);
    // Inserting and deleting a row reserves its number. A table without a row is not an index yet.
    const id = this.#sqlite.run("INSERT INTO indexes (collection, specification, multikey) VALUES (0, '', '')");
    this.#sqlite.run("DELETE FROM indexes WHERE id = ?", id);
    this.#sqlite.run(`CREATE TABLE keys_${id} (
      key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID`);
    const index: Index = { id, definition, multikey, built: Promise.withResolvers() };
    this.#replace(collection.building, [...collection.building, index]);
    return index;
  }

  /** Adds an index whose keys are complete to those that queries use. */
  addIndex(collection: Collection, index: Index): void {
    const { id, definition, multikey } = index;
    const sql = "INSERT INTO indexes (id, collection, specification, multikey) VALUES (?, ?, ?, ?)";
    this.#sqlite.run(sql, id, collection.id, encode(definition.specification), toFlags(multikey));
    this.#replace(collection.indexes, [...collection.indexes, index]);
    this.abandonIndex(collection, index);
  }

  /** Ends the building of an index. A rollback does not undo this. */
  abandonIndex({ building, changed }: Collection, index: Index): void {
    index.built.resolve();
    building.splice(0, building.length, ...building.filter((each) => each !== index));
    if (building.length === 0) changed.clear();
  }

  dropIndex(collection: Collection, index: Index): void {
    this.#sqlite.run("DELETE FROM indexes WHERE id = ?", index.id);
    const others = collection.indexes.filter((each) => each !== index);
    this.#replace(collection.indexes, others);
  }

  /** Records which fields of an index have arrays in some document, including documents of open transactions. */
  markMultikey({ id, multikey }: Index, found: readonly boolean[]): void {
    if (!found.some((flag, at) => flag && multikey[at] !== true)) return;
    const flags = multikey.map((flag, at) => flag || found[at] === true);
    this.#sqlite.run("UPDATE indexes SET multikey = ? WHERE id = ?", toFlags(flags), id);
    this.#replace(multikey, flags);
  }

  /** Empties and removes, step by step, the tables of dropped collections and indexes, and of indexes whose building was interrupted. */
  *removeUnused(timeSlices: TimeSlices): Steps<void> {
    for (const name of this.#unusedTables()) {
      const primaryKey = name.startsWith("keys_") ? "(key, record)" : "record";
      const columns = name.startsWith("keys_") ? "key, record" : "record";
      const sql = `DELETE FROM ${name} WHERE ${primaryKey} IN (SELECT ${columns} FROM ${name} LIMIT 10) RETURNING record`;
      while (this.#sqlite.rows(sql).length > 0) if (timeSlices.isOver) yield undefined;
      this.#sqlite.run(`DROP TABLE ${name}`);
      yield undefined;
    }
  }

  #unusedTables(): string[] {
    const used = new Set<string>();
    for (const { id, indexes, building } of this.#collections.values()) {
      used.add(`documents_${id}`);
      for (const index of [...indexes, ...building]) used.add(`keys_${index.id}`);
    }
    const tables = this.#sqlite.statement("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.map(({ name }) => String(name)).filter((name) => /^(documents|keys)_/.test(name) && !used.has(name));
  }

  /** Replaces the elements of a list. A rollback restores them. */
  #replace<T>(list: T[], next: readonly T[]): void {
    const before = list.splice(0, list.length, ...next);
    this.#sqlite.undo.push(() => list.splice(0, list.length, ...before));
  }

  /** Removes a collection from the catalog, or adds it. A rollback undoes this. */
  #setDropped(collection: Collection, dropped: boolean): void {
    const namespace = `${collection.database}.${collection.name}`;
    if (dropped) this.#collections.delete(namespace);
    else this.#collections.set(namespace, collection);
    collection.dropped = dropped;
    this.#sqlite.undo.push(() => this.#setDropped(collection, !dropped));
  }
}

function indexIn(row: Record<string, unknown>): Index {
  const definition = parseIndex(decode(row["specification"] as Uint8Array));
  const multikey = [...String(row["multikey"])].map((flag) => flag === "1");
  return { id: row["id"] as number, definition, multikey, built: Promise.withResolvers() };
}

function toFlags(multikey: readonly boolean[]): string {
  return multikey.map(Number).join("");
}

/** The maximum length of the name of a collection with that of its database, in bytes. */
const maxNamespaceBytes = 255;

function checkName(database: string, name: string): void {
  const isDatabase = /^(?!(admin|local|config)$)[^/\\. "$*<>:|?\0]{1,63}$/.test(database);
  const isShort = Buffer.byteLength(`${database}.${name}`) <= maxNamespaceBytes;
  if (isDatabase && isShort && name !== "" && !/[$\0]|^system\.|^\./.test(name)) return;
  throw serverError("InvalidNamespace", `Invalid namespace specified '${database}.${name}'`);
}
