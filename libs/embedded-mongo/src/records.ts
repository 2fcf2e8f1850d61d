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
export type ScanPosition = Pick<StoredRow, "key" | "record">;

/** A page ends early when its documents have more bytes than this. */
const bytesOfPage = 4 * 1024 * 1024;
const noKey = new Uint8Array(0);

/** The committed documents and index keys, as rows of SQLite. Every call is synchronous and leaves no statement open. */
export class Records {
  readonly #sqlite: Sqlite;

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  read(collection: Collection, record: number): Uint8Array | undefined {
    const sql = `SELECT body FROM documents_${collection.id} WHERE record = ?`;
    return this.#sqlite.statement(sql).get(record)?.["body"] as Uint8Array | undefined;
  }

  /** Writes a document in its place; undefined removes what is there. */
  write({ id }: Collection, record: number, body: Uint8Array | undefined): void {
    if (body === undefined) this.#sqlite.run(`DELETE FROM documents_${id} WHERE record = ?`, record);
    else this.#sqlite.run(`INSERT OR REPLACE INTO documents_${id} (record, body) VALUES (?, ?)`, record, body);
  }

  addKey(index: Index, key: Uint8Array, record: number): void {
    this.#sqlite.run(`INSERT INTO keys_${index.id} (key, record) VALUES (?, ?)`, key, record);
  }

  removeKey(index: Index, key: Uint8Array, record: number): void {
    this.#sqlite.run(`DELETE FROM keys_${index.id} WHERE key = ? AND record = ?`, key, record);
  }

  /** The first record that has this key. */
  ownerOf(index: Index, key: Uint8Array): number | undefined {
    const sql = `SELECT record FROM keys_${index.id} WHERE key = ? LIMIT 1`;
    return this.#sqlite.statement(sql).get(key)?.["record"] as number | undefined;
  }

  count(collection: Collection): number {
    const sql = `SELECT count(*) AS count FROM documents_${collection.id}`;
    return this.#sqlite.statement(sql).get()?.["count"] as number;
  }

  /** Up to `limit` rows after a record, in their order. */
  readRecords(collection: Collection, after: number, limit: number): StoredRow[] {
    const sql = `SELECT record, body FROM documents_${collection.id} WHERE record > ? ORDER BY record LIMIT ?`;
    return page(this.#sqlite.statement(sql).iterate(after, limit));
  }

  /** Up to `limit` rows with keys in [from, to), in the order of their keys, after a position. */
  readKeys(
    collection: Collection,
    index: Index,
    { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
    reverse: boolean,
    after: ScanPosition | undefined,
    limit: number,
  ): StoredRow[] {
    const direction = reverse ? "DESC" : "ASC";
    // No record is 0: before the first row of its key.
    const start = (!reverse && after) || { key: from, record: 0 };
    const end = (reverse && after) || { key: to, record: 0 };
    const statement = this.#sqlite.statement(`
      SELECT k.key AS key, k.record AS record, d.body AS body
      FROM keys_${index.id} AS k CROSS JOIN documents_${collection.id} AS d ON d.record = k.record
      WHERE (k.key, k.record) > (?, ?) AND (k.key, k.record) < (?, ?)
      ORDER BY k.key ${direction}, k.record ${direction} LIMIT ?`);
    return page(statement.iterate(start.key, start.record, end.key, end.record, limit));
  }
}

function page(rows: Iterable<unknown>): StoredRow[] {
  const result: StoredRow[] = [];
  let bytes = 0;
  for (const row of rows as Iterable<Omit<StoredRow, "key"> & Partial<StoredRow>>) {
    result.push({ record: row.record, body: row.body, key: row.key ?? noKey });
    bytes += row.body.length;
    if (bytes > bytesOfPage) break;
  }
  return result;
}
