import type { Collection } from "./catalog.ts";
import type { Filter } from "./filter.ts";
import { compileFilter, type MatchDetails } from "./matcher.ts";
import { planQuery } from "./planner.ts";
import type { Records } from "./records.ts";
import { scan, type Candidate, type Differences } from "./scan.ts";
import { compareBySort, sortKeyOf, type SortField } from "./sorting.ts";
import { decode, type Document } from "./values.ts";

/** A query that was read. */
export interface Query {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly skip: number;
  /** 0 for "all". */
  readonly limit: number;
}

/** A document that a query found. */
export interface Found {
  readonly record: number;
  readonly body: Uint8Array;
  /** Decoded on first use. */
  document(): Document;
  /** The array element that matched, for `$`. */
  readonly position: number | undefined;
}

/** Runs a query lazily; what it reads later is what is committed then. */
export function* runQuery(
  records: Records,
  collection: Collection,
  query: Query,
  differences: Differences | undefined,
): Generator<Found, void, undefined> {
  const { plan, sorted, exact } = planQuery(collection.indexes, query.filter, query.sort);
  const matches = compileFilter(query.filter);
  const candidates = scan(records, collection, plan, differences);
  const found = matching(candidates, matches, exact);
  const ordered = sorted ? found : inOrder(records, collection, found, query);
  let skip = query.skip;
  let left = query.limit === 0 ? Number.POSITIVE_INFINITY : query.limit;
  if (left === 0) return;
  for (const each of ordered) {
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    yield each;
    left -= 1;
    if (left === 0) return;
  }
}

function* matching(
  candidates: Iterable<Candidate>,
  matches: ReturnType<typeof compileFilter>,
  exact: boolean,
): Generator<Found & { different: boolean }, void, undefined> {
  for (const { record, body, different } of candidates) {
    let decoded: Document | undefined;
    const document = (): Document => (decoded ??= decode(body));
    const details: MatchDetails = { position: undefined };
    if ((exact && !different) || matches(document(), details)) {
      yield { record, body, document, position: details.position, different };
    }
  }
}

/** Sorts by keeping only the sort keys; the documents are read again when their turn comes. */
function* inOrder(
  records: Records,
  collection: Collection,
  found: Iterable<Found & { different: boolean }>,
  query: Query,
): Generator<Found, void, undefined> {
  const rows: { key: readonly unknown[]; record: number; own: Found | undefined }[] = [];
  for (const each of found) {
    // A small result is kept whole; a large one must not hold all its documents in memory.
    const keep = each.different || rows.length < 200;
    rows.push({ key: sortKeyOf(query.sort, each.document()), record: each.record, own: keep ? each : undefined });
  }
  rows.sort((left, right) => compareBySort(query.sort, left.key, right.key));
  const wanted = query.limit === 0 ? rows : rows.slice(0, query.skip + query.limit);
  for (const { record, own } of wanted) {
    const body = own?.body ?? (collection.dropped ? undefined : records.read(collection, record));
    if (body === undefined) continue;
    let decoded: Document | undefined;
    yield own ?? { record, body, document: () => (decoded ??= decode(body)), position: undefined };
  }
}
