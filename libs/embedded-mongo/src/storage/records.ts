import type { Range } from "../query/bounds.ts";
import type { Collection, Index } from "./catalog.ts";
import { serverError } from "../errors.ts";
import type { MatchDetails } from "../query/matcher.ts";
import type { Scan } from "../query/planner.ts";
import type { Sqlite } from "./sqlite.ts";
import { decode, type Document } from "../values/values.ts";

/** A stored document that was read; `position` is the array element that matched a query, for `$`. */
export interface StoredDocument extends MatchDetails {
  /** Its place in the table of the collection. */
  readonly record: number;
  readonly body: Uint8Array;
  /** The index key through which it was found; empty without an index. */
  readonly key: Uint8Array;
  /** Decoded on first use. */
  document(): Document;
}

/** Counts the rows that scans read. */
export interface RowCounter {
  rowsRead: number;
}

/** A page ends early when its documents have more bytes than this. */
const maxPageBytes = 1024 * 1024;
const maxPageSize = 256;

/** The committed documents and index keys, as rows of SQLite. No call leaves a statement open. */
export class Records implements RowCounter {
  readonly #sqlite: Sqlite;
  /** How many rows all scans have read. */
  rowsRead = 0;

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  read(collection: Collection, record: number): Uint8Array | undefined {
    checkExists(collection);
    const sql = `SELECT body FROM documents_${collection.id} WHERE record = ?`;
    return this.#sqlite.statement(sql).get(record)?.["body"] as Uint8Array | undefined;
  }

  /** Writes a document in its place; undefined removes what is there. */
  write({ id }: Collection, record: number, body: Uint8Array | undefined): void {
    if (body === undefined) this.#sqlite.run(`DELETE FROM documents_${id} WHERE record = ?`, record);
    else this.#sqlite.run(`INSERT OR REPLACE INTO documents_${id} (record, body) VALUES (?, ?)`, record, body);
  }

  /** Adds a key; one that is there already may be there. */
  addKey(index: Index, key: Uint8Array, record: number): void {
    this.#sqlite.run(`INSERT OR IGNORE INTO keys_${index.id} (key, record) VALUES (?, ?)`, key, record);
  }

  removeKey(index: Index, key: Uint8Array, record: number): void {
    this.#sqlite.run(`DELETE FROM keys_${index.id} WHERE key = ? AND record = ?`, key, record);
  }

  /** The first record that has this key. */
  findOwner(index: Index, key: Uint8Array): number | undefined {
    const sql = `SELECT record FROM keys_${index.id} WHERE key = ? LIMIT 1`;
    return this.#sqlite.statement(sql).get(key)?.["record"] as number | undefined;
  }

  /**
   * The rows of a scan in its order, read lazily in pages that grow. Between two rows no statement is open, so the caller may
   * write, or go on much later (a cursor): it then reads what is committed by then, from its last place.
   */
  *scan(
    collection: Collection,
    scan: Scan,
    firstPage = 16,
    counter: RowCounter = this,
  ): Generator<StoredDocument, void, undefined> {
    for (const range of scan.reverse ? scan.ranges.toReversed() : scan.ranges) {
      let last: StoredDocument | undefined;
      for (let size = firstPage; ; size *= 4) {
        checkExists(collection, scan.index);
        const rows = this.#page(collection, scan, range, last, Math.min(size, maxPageSize));
        counter.rowsRead += rows.length;
        yield* rows;
        last = rows.at(-1);
        if (last === undefined) break;
      }
    }
  }

  /** Up to `limit` rows of a range of a scan, after another one of them. */
  #page(
    { id }: Collection,
    { index, reverse }: Scan,
    { from, to }: Range,
    after: StoredDocument | undefined,
    limit: number,
  ) {
    if (index === undefined) {
      const sql = `SELECT record, body FROM documents_${id} WHERE record > ? ORDER BY record LIMIT ?`;
      return readRows(this.#sqlite.statement(sql).iterate(after?.record ?? 0, limit));
    }
    const order = reverse ? "DESC" : "ASC";
    // No record is 0: before the first row of its key.
    const start = (!reverse && after) || { key: from, record: 0 };
    const end = (reverse && after) || { key: to, record: 0 };
    const statement = this.#sqlite.statement(`
      SELECT k.record AS record, d.body AS body, k.key AS key
      FROM keys_${index.id} AS k CROSS JOIN documents_${id} AS d ON d.record = k.record
      WHERE (k.key, k.record) > (?, ?) AND (k.key, k.record) < (?, ?)
      ORDER BY k.key ${order}, k.record ${order} LIMIT ?`);
    return readRows(statement.iterate(start.key, start.record, end.key, end.record, limit));
  }
}

/** Throws for a collection, or an index, that was dropped while a command paused. */
export function checkExists({ dropped, name, indexes }: Collection, index?: Index): void {
  if (!dropped && (index === undefined || indexes.includes(index))) return;
  throw serverError("QueryPlanKilled", `the collection ${name}, or an index of it, was dropped`);
}

function readRows(rows: Iterable<unknown>): StoredDocument[] {
  const result: StoredDocument[] = [];
  let bytes = 0;
  for (const { record, body, key } of rows as Iterable<Pick<StoredDocument, "record" | "body" | "key">>) {
    result.push(toStoredDocument(record, body, key));
    bytes += body.length;
    if (bytes > maxPageBytes) break;
  }
  return result;
}

/** A document by its bytes, as if a query had found it. */
export function toStoredDocument(
  record: number,
  body: Uint8Array,
  key: Uint8Array = new Uint8Array(0),
): StoredDocument {
  let decoded: Document | undefined;
  return { record, body, key, document: () => (decoded ??= decode(body)), position: undefined };
}
