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
  /** Takes back in memory what was done since the last commit, the last of it first. */
  #undo: (() => void)[] = [];
  // An id is never given twice, whatever is still in memory under it.
  #lastCollection: number;
  #lastIndex: number;

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
    for (const row of sqlite.statement("SELECT id, database, name FROM collections").all()) {
      const { id, database, name } = row as unknown as Collection;
      const last = sqlite.statement(`SELECT max(record) AS record FROM documents_${id}`).get()?.["record"];
      const indexes = sqlite.statement("SELECT * FROM indexes WHERE collection = ? ORDER BY id").all(id).map(indexIn);
      const nextRecord = 1 + Number(last ?? 0);
      this.#collections.set(`${database}.${name}`, { id, database, name, indexes, nextRecord, dropped: false });
    }
    const lastOf = sqlite.statement("SELECT seq FROM sqlite_sequence WHERE name = ?");
    [this.#lastCollection = 0, this.#lastIndex = 0] = ["collections", "indexes"].map((table) =>
      Number(lastOf.get(table)?.["seq"] ?? 0),
    );
  }

  find(database: string, name: string): Collection | undefined {
    return this.#collections.get(`${database}.${name}`);
  }

  /** The collections of a database, or all, by their names. */
  list(database?: string): Collection[] {
    const wanted = [...this.#collections.values()].filter(
      (each) => database === undefined || each.database === database,
    );
    return wanted.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  create(database: string, name: string): Collection {
    checkName(database, name);
    const id = ++this.#lastCollection;
    const collection: Collection = { id, database, name, indexes: [], nextRecord: 1, dropped: false };
    this.#sqlite.run("INSERT INTO collections (id, database, name) VALUES (?, ?, ?)", id, database, name);
    this.#sqlite.execute(`CREATE TABLE documents_${id} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
    this.#show(collection);
    this.#undo.push(() => this.#hide(collection));
    this.addIndex(collection, parseIndex({ key: { _id: new Int32(1) }, name: "_id_" }));
    return collection;
  }

  drop(collection: Collection): void {
    for (const index of [...collection.indexes]) this.dropIndex(collection, index);
    this.#sqlite.execute(`DROP TABLE documents_${collection.id}`);
    this.#sqlite.run("DELETE FROM collections WHERE id = ?", collection.id);
    this.#hide(collection);
    this.#undo.push(() => this.#show(collection));
  }

  addIndex(collection: Collection, definition: IndexDefinition): Index {
    const index: Index = { id: ++this.#lastIndex, definition, multikey: definition.fields.map(() => false) };
    const specification = encode(definition.specification);
    const sql = "INSERT INTO indexes (id, collection, specification, multikey) VALUES (?, ?, ?, ?)";
    this.#sqlite.run(sql, index.id, collection.id, specification, flagsOf(index));
    this.#sqlite.execute(`CREATE TABLE keys_${index.id} (
      key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID`);
    this.#change(collection, [...collection.indexes, index]);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    this.#sqlite.execute(`DROP TABLE keys_${index.id}`);
    this.#sqlite.run("DELETE FROM indexes WHERE id = ?", index.id);
    this.#change(
      collection,
      collection.indexes.filter((each) => each !== index),
    );
  }

  /** Notes that documents, also of open transactions, have arrays on these fields of an index. */
  markMultikey(index: Index, multikey: readonly boolean[]): void {
    const before = [...index.multikey];
    if (!multikey.some((flag, at) => flag && before[at] !== true)) return;
    this.#undo.push(() => index.multikey.splice(0, before.length, ...before));
    index.multikey.splice(0, before.length, ...before.map((flag, at) => flag || multikey[at] === true));
    this.#sqlite.run("UPDATE indexes SET multikey = ? WHERE id = ?", flagsOf(index), index.id);
  }

  /** The changes since the last call are on disk, or were taken back there. */
  settle(committed: boolean): void {
    if (!committed) for (const undo of this.#undo.reverse()) undo();
    this.#undo = [];
  }

  #change({ indexes }: Collection, next: readonly Index[]): void {
    const before = indexes.splice(0, indexes.length, ...next);
    this.#undo.push(() => indexes.splice(0, indexes.length, ...before));
  }

  #show(collection: Collection): void {
    this.#collections.set(`${collection.database}.${collection.name}`, collection);
    collection.dropped = false;
  }

  #hide(collection: Collection): void {
    this.#collections.delete(`${collection.database}.${collection.name}`);
    collection.dropped = true;
  }
}

function indexIn(row: Record<string, unknown>): Index {
  const definition = parseIndex(decode(row["specification"] as Uint8Array));
  return { id: row["id"] as number, definition, multikey: [...String(row["multikey"])].map((flag) => flag === "1") };
}

function flagsOf({ multikey }: Index): string {
  return multikey.map(Number).join("");
}

function checkName(database: string, name: string): void {
  const isDatabase = /^[^/\\. "$*<>:|?\0]{1,63}$/.test(database);
  if (!isDatabase) throw serverError("InvalidNamespace", `Invalid database name: ${database}`);
  if (name === "" || /[$\0]|^system\.|^\./.test(name)) {
    throw serverError("InvalidNamespace", `Invalid collection name: ${name}`);
  }
  if (["admin", "local", "config"].includes(database)) {
    throw serverError("InvalidNamespace", `the database ${database} is reserved`);
  }
}
