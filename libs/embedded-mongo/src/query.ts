import { Buffer } from "node:buffer";
import type { Collection } from "./catalog.ts";
import type { Filter } from "./filter.ts";
import { sortKeyOf, type IndexField } from "./index-keys.ts";
import { compileFilter } from "./matcher.ts";
import { planQuery } from "./planner.ts";
import { asFound, type Found, type Records } from "./records.ts";

/** A query that was read. */
export interface Query {
  readonly filter: Filter;
  readonly sort: readonly IndexField[];
  readonly skip: number;
  /** 0 for "all". */
  readonly limit: number;
}

type Rows = Generator<Found, void, undefined>;

/**
 * Runs a query lazily, as `Records.scan` reads. `differences` is what a transaction sees otherwise than the committed
 * documents: records with other bytes or, without any, ones that are not there.
 */
export function* runQuery(
  records: Records,
  collection: Collection,
  { filter, sort, skip, limit }: Query,
  differences: ReadonlyMap<number, Uint8Array | undefined> = new Map(),
): Rows {
  const { scans, sorted, exact } = planQuery(collection.indexes, filter, sort);
  const merged = sorted && sort.length > 0 && scans.length > 1;
  const matches = compileFilter(filter);
  const last = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  // Where all that is read is found, no more is read than is asked for; merged scans each begin with little.
  const firstPage = merged ? 4 : sorted && exact && limit > 0 ? last : 16;

  /** The document as the query sees it; undefined when it does not match (any more). */
  function read(record: number): Found | undefined {
    const body = differences.has(record) ? differences.get(record) : records.read(collection, record);
    const row = body === undefined ? undefined : asFound(record, body);
    return row !== undefined && matches(row.document(), row) ? row : undefined;
  }

  /** The committed rows that match and that the transaction sees like everybody, each once. */
  function* committed(): Rows {
    const repeats = scans.length > 1 || scans[0]?.index?.multikey.includes(true) === true;
    const seen = new Set(differences.keys());
    const sources = scans.map((scan) => records.scan(collection, scan, firstPage));
    for (const row of merged ? merge(sources, sort) : inTurn(sources)) {
      if (seen.has(row.record)) continue;
      if (repeats) seen.add(row.record);
      if (exact || matches(row.document(), row)) yield row;
    }
  }

  const own = [...differences.keys()].flatMap((record) => read(record) ?? []);
  let rows = committed();
  if (!sorted) rows = inOrder(inTurn([rows, own]), sort, read);
  else if (own.length > 0) rows = merge([rows, inOrder(own, sort, read)], sort);
  let count = 0;
  for (const row of rows) {
    count += 1;
    if (count > skip) yield row;
    if (count === last) return;
  }
}

function* inTurn(sources: readonly Iterable<Found>[]): Rows {
  for (const source of sources) yield* source;
}

/** Merges rows from sources of which each is in the order of the sort. */
function* merge(sources: readonly Rows[], sort: readonly IndexField[]): Rows {
  const next = (source: Rows) => {
    const { value } = source.next();
    return value === undefined ? [] : [{ source, value, key: sortKeyOf(sort, value.document()) }];
  };
  let heads = sources.flatMap(next);
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (Buffer.compare(head.key, least.key) < 0 ? head : least));
    yield first.value;
    heads = heads.flatMap((head) => (head === first ? next(head.source) : [head]));
  }
}

/** Sorts in memory. Of a large result only the keys are kept, and each document is read again when its turn comes. */
function* inOrder(
  rows: Iterable<Found>,
  sort: readonly IndexField[],
  read: (record: number) => Found | undefined,
): Rows {
  const sorted: { key: Buffer; record: number; row: Found | undefined }[] = [];
  for (const row of rows) {
    const kept = sorted.length < 200 ? row : undefined;
    sorted.push({ key: sortKeyOf(sort, row.document()), record: row.record, row: kept });
  }
  sorted.sort((left, right) => Buffer.compare(left.key, right.key));
  for (const { record, row = read(record) } of sorted) if (row !== undefined) yield row;
}
