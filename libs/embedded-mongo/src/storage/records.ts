import type { Range } from "../query/bounds.ts";
import type { Collection, Index } from "./catalog.ts";
import { serverError } from "../errors.ts";
import type { MatchDetails } from "../query/matcher.ts";
import type { Scan } from "../query/planner.ts";
import type { Sqlite } from "./sqlite.ts";
import { decode, type Document } from "../values/values.ts";

/** A stored document that was read. `position` is the array element that matched a query, for the operator `$`. */
export interface StoredDocument extends MatchDetails {
  /** The number of its row in the table of the collection. */
  readonly record: number;
  readonly body: Uint8Array;
  /** The index key through which it was found; empty without an index. */
  readonly key: Uint8Array;
  /** Returns the decoded document, which is decoded on first use. */
  document(): Document;
}

/** Counts the rows that scans read. */
export interface RowCounter {
  rowsRead: number;
}

/** The options of a scan. */
export interface ScanOptions {
  /** The maximum number of rows of the first page. */
  readonly firstPage?: number;
  /** The counter of the rows that are read. */
  readonly counter?: RowCounter;
  /** True if an index is scanned without its documents, which are then empty. Without an index, they are read. */
  readonly keysOnly?: boolean;
}

const emptyBytes = new Uint8Array(0);

/** A page ends early when its documents have more bytes than this. */
const maxPageBytes = 1024 * 1024;
const maxPageSize = 256;
/**
 * The limit of a page in SQL. SQLite prepares a statement with `LIMIT ?` again for each value, which takes twice as long as reading a row; with
 * an expression, it does not.
 */
const limitText = "? + 0";

/** Reads and writes documents and index keys as rows of SQLite. No call leaves a statement open. */
export class Records implements RowCounter {
  readonly #sqlite: Sqlite;
  /** The number of rows that all scans have read. */
  rowsRead = 0;

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  read(collection: Collection, record: number): Uint8Array | undefined {
    checkExists(collection);
    const sql = `SELECT body FROM documents_${collection.id} WHERE record = ?`;
    return this.#sqlite.statement(sql).get(record)?.["body"] as Uint8Array | undefined;
  }

  /** Writes a document, or removes it if the body is undefined. */
  write({ id }: Collection, record: number, body: Uint8Array | undefined): void {
    if (body === undefined) this.#sqlite.run(`DELETE FROM documents_${id} WHERE record = ?`, record);
    else this.#sqlite.run(`INSERT OR REPLACE INTO documents_${id} (record, body) VALUES (?, ?)`, record, body);
  }

  /** Adds a key. Does nothing if it exists. */
  addKey(index: Index, key: Uint8Array, record: number): void {
    this.#sqlite.run(`INSERT OR IGNORE INTO keys_${index.id} (key, record) VALUES (?, ?)`, key, record);
  }

  removeKey(index: Index, key: Uint8Array, record: number): void {
    this.#sqlite.run(`DELETE FROM keys_${index.id} WHERE key = ? AND record = ?`, key, record);
  }

  /** Returns the first record with a key. */
  findOwner(index: Index, key: Uint8Array): number | undefined {
    const sql = `SELECT record FROM keys_${index.id} WHERE key = ? LIMIT 1`;
    return this.#sqlite.statement(sql).get(key)?.["record"] as number | undefined;
  }

  /**
   * Reads the rows of a scan in its order, lazily and in growing pages. No statement is open between two rows, so the caller may write,
   * or continue much later (a cursor). It then reads what is committed at that time, from its last position.
   */
  *scan(
    collection: Collection,
    scan: Scan,
    { firstPage = 16, counter = this, keysOnly = false }: ScanOptions = {},
  ): Generator<StoredDocument, void, undefined> {
    for (const range of scan.reverse ? scan.ranges.toReversed() : scan.ranges) {
      let last: StoredDocument | undefined;
      for (let size = firstPage; ; size *= 4) {
        checkExists(collection, scan.index);
        const { writes } = this.#sqlite;
        const { rows, isLast } = this.#page(collection, scan, range, last, Math.min(size, maxPageSize), keysOnly);
        counter.rowsRead += rows.length;
        yield* rows;
        last = rows.at(-1);
        // Something may have been added behind them since.
        if (last === undefined || (isLast && writes === this.#sqlite.writes)) break;
      }
    }
  }

  /** Reads up to `limit` rows of a range of a scan, after another row of it. */
  #page(
    { id }: Collection,
    { index, reverse }: Scan,
    { from, to }: Range,
    after: StoredDocument | undefined,
    limit: number,
    keysOnly: boolean,
  ): Page {
    if (index === undefined) {
      const sql = `SELECT record, body FROM documents_${id} WHERE record > ? ORDER BY record LIMIT ${limitText}`;
      return readPage(this.#sqlite.statement(sql).iterate(after?.record ?? 0, limit), limit);
    }
    const order = reverse ? "DESC" : "ASC";
    // Records begin at 1, so 0 is before the first row of a key.
    const start = (!reverse && after) || { key: from, record: 0 };
    const end = (reverse && after) || { key: to, record: 0 };
    const statement = this.#sqlite.statement(`
      SELECT k.record AS record, ${keysOnly ? "NULL" : "d.body"} AS body, k.key AS key
      FROM keys_${index.id} AS k ${keysOnly ? "" : `CROSS JOIN documents_${id} AS d ON d.record = k.record`}
      WHERE (k.key, k.record) > (?, ?) AND (k.key, k.record) < (?, ?)
      ORDER BY k.key ${order}, k.record ${order} LIMIT ${limitText}`);
    return readPage(statement.iterate(start.key, start.record, end.key, end.record, limit), limit);
  }
}

/** Throws if a collection or an index was dropped while a command paused. */
export function checkExists({ dropped, name, indexes }: Collection, index?: Index): void {
  if (!dropped && (index === undefined || indexes.includes(index))) return;
  throw serverError("QueryPlanKilled", `the collection ${name}, or an index of it, was dropped`);
}

type Row = Pick<StoredDocument, "record" | "key"> & { readonly body: Uint8Array | null };

/** Rows of a range, and whether it has no more. */
interface Page {
  readonly rows: StoredDocument[];
  readonly isLast: boolean;
}

function readPage(found: Iterable<unknown>, limit: number): Page {
  const rows: StoredDocument[] = [];
  let bytes = 0;
  for (const { record, body, key } of found as Iterable<Row>) {
    rows.push(toStoredDocument(record, body ?? emptyBytes, { key }));
    bytes += body?.length ?? 0;
    if (bytes > maxPageBytes) return { rows, isLast: false };
  }
  return { rows, isLast: rows.length < limit };
}

/** Creates a stored document from its bytes. They are decoded on demand, unless `document` returns the decoded document. */
export function toStoredDocument(
  record: number,
  body: Uint8Array,
  { key = emptyBytes, document }: { readonly key?: Uint8Array; readonly document?: () => Document } = {},
): StoredDocument {
  let decoded: Document | undefined;
  return { record, body, key, document: document ?? (() => (decoded ??= decode(body))), position: undefined };
}
