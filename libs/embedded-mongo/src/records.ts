import type { Collection, Index } from "./catalog.ts";
import type { Sqlite } from "./sqlite.ts";

/** A stored document: its place in the table and its bytes. */
export interface StoredRow {
  readonly record: number;
  readonly body: Uint8Array;
  /** The index key through which it was found; empty in a scan of the collection. */
  readonly key: Uint8Array;
}

/** Where to read on in an ordered scan: everything up to and including this was read. */
export interface ScanPosition {
  readonly key: Uint8Array;
  readonly record: number;
}

/** The committed documents and index keys, as rows of SQLite. */
export interface Records {
  read(collection: Collection, record: number): Uint8Array | undefined;
  insert(collection: Collection, record: number, body: Uint8Array): void;
  replace(collection: Collection, record: number, body: Uint8Array): void;
  remove(collection: Collection, record: number): void;
  addKey(index: Index, key: Uint8Array, record: number): void;
  removeKey(index: Index, key: Uint8Array, record: number): void;
  /** The first record that has this key. */
  ownerOf(index: Index, key: Uint8Array): number | undefined;
  count(collection: Collection): number;
  /** Up to `limit` rows after a position, in the order of their records. */
  readRecords(collection: Collection, after: number, limit: number): StoredRow[];
  /** Up to `limit` rows with keys in [from, to), in the order of their keys. */
  readKeys(
    collection: Collection,
    index: Index,
    range: { readonly from: Uint8Array; readonly to: Uint8Array },
    reverse: boolean,
    after: ScanPosition | undefined,
    limit: number,
  ): StoredRow[];
}

/** A page ends early when its documents have more bytes than this. */
const bytesOfPage = 4 * 1024 * 1024;

/** Rows of SQLite as documents and keys. Every call is synchronous and leaves no statement open. */
export function createRecords(sqlite: Sqlite): Records {
  const none = new Uint8Array(0);

  function page(rows: Iterable<unknown>): StoredRow[] {
    const result: StoredRow[] = [];
    let bytes = 0;
    for (const row of rows) {
      const { record, body, key } = row as { record: number; body: Uint8Array; key?: Uint8Array };
      result.push({ record, body, key: key ?? none });
      bytes += body.length;
      if (bytes > bytesOfPage) break;
    }
    return result;
  }

  return {
    read(collection, record) {
      const row = sqlite.statement(`SELECT body FROM documents_${collection.id} WHERE record = ?`).get(record);
      return row?.["body"] as Uint8Array | undefined;
    },
    insert(collection, record, body) {
      sqlite.run(`INSERT INTO documents_${collection.id} (record, body) VALUES (?, ?)`, record, body);
    },
    replace(collection, record, body) {
      sqlite.run(`UPDATE documents_${collection.id} SET body = ? WHERE record = ?`, body, record);
    },
    remove(collection, record) {
      sqlite.run(`DELETE FROM documents_${collection.id} WHERE record = ?`, record);
    },
    addKey(index, key, record) {
      sqlite.run(`INSERT INTO keys_${index.id} (key, record) VALUES (?, ?)`, key, record);
    },
    removeKey(index, key, record) {
      sqlite.run(`DELETE FROM keys_${index.id} WHERE key = ? AND record = ?`, key, record);
    },
    ownerOf(index, key) {
      const row = sqlite.statement(`SELECT record FROM keys_${index.id} WHERE key = ? LIMIT 1`).get(key);
      return row?.["record"] as number | undefined;
    },
    count(collection) {
      const row = sqlite.statement(`SELECT count(*) AS count FROM documents_${collection.id}`).get();
      return row?.["count"] as number;
    },
    readRecords(collection, after, limit) {
      const sql = `SELECT record, body FROM documents_${collection.id} WHERE record > ? ORDER BY record LIMIT ?`;
      return page(sqlite.statement(sql).iterate(after, limit));
    },
    readKeys(collection, index, { from, to }, reverse, after, limit) {
      const direction = reverse ? "DESC" : "ASC";
      const sql = (where: string): string => `
        SELECT k.key AS key, k.record AS record, d.body AS body
        FROM keys_${index.id} AS k CROSS JOIN documents_${collection.id} AS d ON d.record = k.record
        WHERE ${where} ORDER BY k.key ${direction}, k.record ${direction} LIMIT ?`;
      if (after === undefined) {
        return page(sqlite.statement(sql("k.key >= ? AND k.key < ?")).iterate(from, to, limit));
      }
      return reverse
        ? page(
            sqlite
              .statement(sql("k.key >= ? AND (k.key, k.record) < (?, ?)"))
              .iterate(from, after.key, after.record, limit),
          )
        : page(
            sqlite
              .statement(sql("(k.key, k.record) > (?, ?) AND k.key < ?"))
              .iterate(after.key, after.record, to, limit),
          );
    },
  };
}
