import { Int32 } from "bson";
import { serverError } from "./errors.ts";
import { parseIndex, type IndexDefinition } from "./index-definition.ts";
import type { Sqlite } from "./sqlite.ts";
import { decode, encode } from "./values.ts";

/** An index of a collection. */
export interface Index {
  readonly id: number;
  readonly definition: IndexDefinition;
  /** For each field: whether some document has, or had, an array on its path. */
  readonly multikey: boolean[];
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
      this.#collections.set(`${database}.${name}`, { id, database, name, indexes, nextRecord, dropped: false });
    }
  }

  find(database: string, name: string): Collection | undefined {
    return this.#collections.get(`${database}.${name}`);
  }

  /** The collections of a database, or all, by their names. */
  list(database?: string): Collection[] {
    const all = [...this.#collections.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    return database === undefined ? all : all.filter((each) => each.database === database);
  }

  create(database: string, name: string): Collection {
    checkName(database, name);
    const id = this.#sqlite.run("INSERT INTO collections (database, name) VALUES (?, ?)", database, name);
    this.#sqlite.run(`CREATE TABLE documents_${id} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
    const collection: Collection = { id, database, name, indexes: [], nextRecord: 1, dropped: true };
    this.#setDropped(collection, false);
    this.addIndex(collection, parseIndex({ key: { _id: new Int32(1) }, name: "_id_" }));
    return collection;
  }

  drop(collection: Collection): void {
    for (const index of [...collection.indexes]) this.dropIndex(collection, index);
    this.#sqlite.run(`DROP TABLE documents_${collection.id}`);
    this.#sqlite.run("DELETE FROM collections WHERE id = ?", collection.id);
    this.#setDropped(collection, true);
  }

  addIndex(collection: Collection, definition: IndexDefinition): Index {
    const multikey = definition.fields.map(() => false);
    const sql = "INSERT INTO indexes (collection, specification, multikey) VALUES (?, ?, ?)";
    const id = this.#sqlite.run(sql, collection.id, encode(definition.specification), flagsOf(multikey));
    this.#sqlite.run(`CREATE TABLE keys_${id} (
      key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID`);
    const index: Index = { id, definition, multikey };
    this.#replace(collection.indexes, [...collection.indexes, index]);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    this.#sqlite.run(`DROP TABLE keys_${index.id}`);
    this.#sqlite.run("DELETE FROM indexes WHERE id = ?", index.id);
    const others = collection.indexes.filter((each) => each !== index);
    this.#replace(collection.indexes, others);
  }

  /** Notes that documents, also of open transactions, have arrays on these fields of an index. */
  markMultikey({ id, multikey }: Index, found: readonly boolean[]): void {
    if (!found.some((flag, at) => flag && multikey[at] !== true)) return;
    const flags = multikey.map((flag, at) => flag || found[at] === true);
    this.#sqlite.run("UPDATE indexes SET multikey = ? WHERE id = ?", flagsOf(flags), id);
    this.#replace(multikey, flags);
  }

  /** Gives a list other elements; a rollback takes that back. */
  #replace<T>(list: T[], next: readonly T[]): void {
    const before = list.splice(0, list.length, ...next);
    this.#sqlite.undo.push(() => list.splice(0, list.length, ...before));
  }

  /** Takes a collection from its place, or puts it there; a rollback takes that back. */
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
  return { id: row["id"] as number, definition, multikey: [...String(row["multikey"])].map((flag) => flag === "1") };
}

function flagsOf(multikey: readonly boolean[]): string {
  return multikey.map(Number).join("");
}

function checkName(database: string, name: string): void {
  const isDatabase = /^(?!(admin|local|config)$)[^/\\. "$*<>:|?\0]{1,63}$/.test(database);
  if (isDatabase && name !== "" && !/[$\0]|^system\.|^\./.test(name)) return;
  throw serverError("InvalidNamespace", `Invalid namespace specified '${database}.${name}'`);
}
