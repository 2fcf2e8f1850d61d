import { Buffer } from "node:buffer";
import { everything, type Range } from "./bounds.ts";
import type { Collection } from "./catalog.ts";
import { keysInIndex } from "./documents.ts";
import { serverError } from "./errors.ts";
import type { MatchDetails } from "./matcher.ts";
import type { IndexScan, Plan } from "./planner.ts";
import type { Records, ScanPosition, StoredRow } from "./records.ts";
import { sortKeyOf, type SortField } from "./sorting.ts";
import { decode, type Document } from "./values.ts";

/** What a transaction sees differently from the committed rows. */
export type Differences = ReadonlyMap<number, Uint8Array | undefined>;

/** A candidate of a query; once it matches, `position` is the array element that did, for `$`. */
export interface Candidate extends MatchDetails {
  readonly record: number;
  readonly body: Uint8Array;
  /** Decoded on first use. */
  document(): Document;
  /** Not from the committed rows but from a transaction's own view. */
  readonly different: boolean;
}

/** What is scanned, and what for. */
export interface Scan {
  readonly records: Records;
  readonly collection: Collection;
  readonly plan: Plan;
  readonly sort: readonly SortField[];
  readonly differences: Differences | undefined;
  /** How many rows the first read of a range asks for. */
  readonly firstPage: number;
  /** Counts what was read, for `explain`. */
  readonly examined: { keys: number; documents: number };
}

const largestPage = 1024;
const noKey = new Uint8Array(0);

/**
 * Reads the candidates of a plan in its order, each once. Between two candidates no statement is open, so the caller may
 * write, or go on much later (a cursor): it then reads from its last place.
 */
export function* scan(from: Scan): Generator<Candidate, void, undefined> {
  const { scans, merged } = from.plan;
  if (scans === undefined) return yield* rowsIn(from, undefined, everything);
  const repeats = scans.length > 1 || scans.some(({ index }) => index.multikey.includes(true));
  const seen = repeats ? new Set<number>() : undefined;
  for (const candidate of merged ? mergedBy(from, scans) : inTurn(from, scans)) {
    if (seen?.has(candidate.record) === true) continue;
    seen?.add(candidate.record);
    yield candidate;
  }
}

function* inTurn(from: Scan, scans: readonly IndexScan[]): Generator<Candidate, void, undefined> {
  for (const each of scans) {
    for (const range of each.reverse ? each.ranges.toReversed() : each.ranges) yield* rowsIn(from, each, range);
  }
}

function* mergedBy(from: Scan, scans: readonly IndexScan[]): Generator<Candidate, void, undefined> {
  const next = (rows: Iterator<Candidate, void>) => {
    const { value } = rows.next();
    return value === undefined ? [] : [{ rows, value, key: sortKeyOf(from.sort, value.document()) }];
  };
  let heads = scans.flatMap((each) => next(inTurn(from, [each])));
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (Buffer.compare(head.key, least.key) < 0 ? head : least));
    yield first.value;
    heads = heads.flatMap((head) => (head === first ? next(head.rows) : [head]));
  }
}

/** The committed rows of a range, with a transaction's own ones in their places. */
function* rowsIn(from: Scan, by: IndexScan | undefined, range: Range): Generator<Candidate, void, undefined> {
  const own = ownRows(from.differences, by, range);
  let at = 0;
  for (const row of committedRows(from, by, range)) {
    for (let each = own[at]; each !== undefined && order(each, row, by) < 0; each = own[++at]) {
      yield candidateOf(each, true);
    }
    if (from.differences?.has(row.record) !== true) yield candidateOf(row, false);
  }
  for (const each of own.slice(at)) yield candidateOf(each, true);
}

function* committedRows(from: Scan, by: IndexScan | undefined, range: Range): Generator<StoredRow, void, undefined> {
  const { records, collection, examined } = from;
  let after: ScanPosition | undefined;
  for (let limit = from.firstPage; ; limit = Math.min(limit * 4, largestPage)) {
    if (collection.dropped) throw serverError("QueryPlanKilled", `the collection ${collection.name} was dropped`);
    const rows =
      by === undefined
        ? records.readRecords(collection, after?.record ?? 0, limit)
        : records.readKeys(collection, by.index, range, by.reverse, after, limit);
    examined.documents += rows.length;
    if (by !== undefined) examined.keys += rows.length;
    yield* rows;
    after = rows.at(-1);
    if (after === undefined) return;
  }
}

function ownRows(differences: Differences | undefined, by: IndexScan | undefined, { from, to }: Range): StoredRow[] {
  const rows: StoredRow[] = [];
  for (const [record, body] of differences ?? []) {
    if (body === undefined) continue;
    for (const key of by === undefined ? [noKey] : (keysInIndex(by.index, decode(body))?.keys ?? [])) {
      const inside = by === undefined || (Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0);
      if (inside) rows.push({ record, body, key });
    }
  }
  return rows.sort((left, right) => order(left, right, by));
}

function order(left: StoredRow, right: StoredRow, by: IndexScan | undefined): number {
  const forwards = Buffer.compare(left.key, right.key) || left.record - right.record;
  return by?.reverse === true ? -forwards : forwards;
}

/** A candidate of these bytes. */
export function candidateOf({ record, body }: Omit<StoredRow, "key">, different: boolean): Candidate {
  let decoded: Document | undefined;
  return { record, body, document: () => (decoded ??= decode(body)), different, position: undefined };
}
