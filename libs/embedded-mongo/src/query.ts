import { Buffer } from "node:buffer";
import { everything, type Range } from "./bounds.ts";
import type { Collection } from "./catalog.ts";
import { keysInIndex } from "./documents.ts";
import { serverError } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { compileFilter, type MatchDetails, type Matcher } from "./matcher.ts";
import { planQuery, type IndexScan, type Plan } from "./planner.ts";
import type { Records, StoredRow } from "./records.ts";
import { sortKeyOf, type SortField } from "./sorting.ts";
import { decode, type Document } from "./values.ts";

/** A query that was read. */
export interface Query {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly skip: number;
  /** 0 for "all". */
  readonly limit: number;
}

/** A document that a query found; `position` is the array element that matched, for `$`. */
export interface Found extends MatchDetails {
  readonly record: number;
  readonly body: Uint8Array;
  /** Decoded on first use. */
  document(): Document;
}

/** What a transaction sees differently from the committed rows. */
export type Differences = ReadonlyMap<number, Uint8Array | undefined>;

type FoundRows = Generator<Found, void, undefined>;

/** What all steps of one query share. */
interface Reading extends Plan {
  readonly records: Records;
  readonly collection: Collection;
  readonly sort: readonly SortField[];
  readonly differences: Differences;
  /** How many rows the first read of a range asks for. */
  readonly firstPage: number;
  readonly examined: { keys: number; documents: number };
}

const largestPage = 1024;
const noDifferences: Differences = new Map();

/**
 * Runs a query lazily. Between two documents no statement is open, so the caller may write, or go on much later (a cursor):
 * it then reads what is committed by then, from its last place. `examined` counts what was read.
 */
export function* runQuery(
  records: Records,
  collection: Collection,
  { filter, sort, skip, limit }: Query,
  differences: Differences = noDifferences,
  examined = { keys: 0, documents: 0 },
): FoundRows {
  const plan = planQuery(collection.indexes, filter, sort);
  const last = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  // Where all that is read is found, no more is read than is asked for; merged scans each begin with little.
  const firstPage = plan.merged ? 4 : plan.sorted && plan.exact && limit > 0 ? Math.min(last, largestPage) : 16;
  const reading: Reading = { ...plan, records, collection, sort, differences, firstPage, examined };
  const found = matching(reading, compileFilter(filter));
  let count = 0;
  for (const each of plan.sorted ? found : inOrder(reading, found, last)) {
    count += 1;
    if (count > skip) yield each;
    if (count === last) return;
  }
}

/** Sorts by keeping only the sort keys; the documents are read again when their turn comes. */
function* inOrder({ records, collection, sort, differences }: Reading, found: FoundRows, last: number): FoundRows {
  const rows: { key: Buffer; record: number; own: Found | undefined }[] = [];
  for (const each of found) {
    // A small result is kept whole; a large one must not hold all its documents in memory.
    const keep = rows.length < 200 || differences.has(each.record);
    rows.push({ key: sortKeyOf(sort, each.document()), record: each.record, own: keep ? each : undefined });
  }
  rows.sort((left, right) => Buffer.compare(left.key, right.key));
  for (const { record, own } of rows.slice(0, last)) {
    const body = own?.body ?? (collection.dropped ? undefined : records.read(collection, record));
    if (body !== undefined) yield own ?? foundIn(record, body);
  }
}

/** The documents that match, each once, as the plan finds them. */
function* matching(reading: Reading, matches: Matcher): FoundRows {
  const { scans = [undefined], merged, exact, differences } = reading;
  const repeats = scans.length > 1 || scans[0]?.index.multikey.includes(true) === true;
  const seen = repeats ? new Set<number>() : undefined;
  for (const each of merged ? mergedScans(reading) : inTurn(reading, scans)) {
    if (seen?.has(each.record) === true) continue;
    seen?.add(each.record);
    if ((exact && !differences.has(each.record)) || matches(each.document(), each)) yield each;
  }
}

function* mergedScans(reading: Reading): FoundRows {
  const next = (rows: FoundRows) => {
    const { value } = rows.next();
    return value === undefined ? [] : [{ rows, value, key: sortKeyOf(reading.sort, value.document()) }];
  };
  let heads = (reading.scans ?? []).flatMap((scan) => next(inTurn(reading, [scan])));
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (Buffer.compare(head.key, least.key) < 0 ? head : least));
    yield first.value;
    heads = heads.flatMap((head) => (head === first ? next(head.rows) : [head]));
  }
}

/** The committed rows, with a transaction's own ones in their places. */
function* inTurn(reading: Reading, scans: readonly (IndexScan | undefined)[]): FoundRows {
  const { differences } = reading;
  for (const scan of scans) {
    const ranges = scan?.ranges ?? [everything];
    for (const range of scan?.reverse === true ? ranges.toReversed() : ranges) {
      const own = ownRows(scan, range, differences);
      let at = 0;
      for (const row of committedRows(reading, scan, range)) {
        for (let each = own[at]; each !== undefined && inScan(each, row, scan) < 0; each = own[++at]) {
          yield foundIn(each.record, each.body);
        }
        if (!differences.has(row.record)) yield foundIn(row.record, row.body);
      }
      for (const { record, body } of own.slice(at)) yield foundIn(record, body);
    }
  }
}

function* committedRows(reading: Reading, scan: IndexScan | undefined, range: Range): Generator<StoredRow> {
  const { records, collection, examined } = reading;
  let after: StoredRow | undefined;
  for (let page = reading.firstPage; ; page = Math.min(page * 4, largestPage)) {
    if (collection.dropped) throw serverError("QueryPlanKilled", `the collection ${collection.name} was dropped`);
    const rows =
      scan === undefined
        ? records.readRecords(collection, after?.record ?? 0, page)
        : records.readKeys(collection, scan.index, range, scan.reverse, after, page);
    examined.documents += rows.length;
    if (scan !== undefined) examined.keys += rows.length;
    yield* rows;
    after = rows.at(-1);
    if (after === undefined) return;
  }
}

function ownRows(scan: IndexScan | undefined, { from, to }: Range, differences: Differences): StoredRow[] {
  const rows: StoredRow[] = [];
  for (const [record, body] of differences) {
    if (body === undefined) continue;
    const keys = scan === undefined ? [everything.from] : (keysInIndex(scan.index, decode(body))?.keys ?? []);
    for (const key of keys) {
      if (Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0) rows.push({ record, body, key });
    }
  }
  return rows.sort((left, right) => inScan(left, right, scan));
}

function inScan(left: StoredRow, right: StoredRow, scan: IndexScan | undefined): number {
  const byKey = scan === undefined ? 0 : Buffer.compare(left.key, right.key);
  const forwards = byKey || left.record - right.record;
  return scan?.reverse === true ? -forwards : forwards;
}

function foundIn(record: number, body: Uint8Array): Found {
  let decoded: Document | undefined;
  return { record, body, document: () => (decoded ??= decode(body)), position: undefined };
}
