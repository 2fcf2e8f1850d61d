import { Buffer } from "node:buffer";
import type { Collection } from "./catalog.ts";
import type { Filter } from "./filter.ts";
import { compileFilter, type Matcher } from "./matcher.ts";
import { planQuery } from "./planner.ts";
import type { Records } from "./records.ts";
import { candidateOf, scan, type Candidate, type Differences } from "./scan.ts";
import { sortKeyOf, type SortField } from "./sorting.ts";

/** A query that was read. */
export interface Query {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly skip: number;
  /** 0 for "all". */
  readonly limit: number;
}

/** A document that a query found. */
export type Found = Candidate;

/** Runs a query lazily; what it reads later is what is committed then. `examined` counts what it reads. */
export function* runQuery(
  records: Records,
  collection: Collection,
  query: Query,
  differences: Differences | undefined,
  examined = { keys: 0, documents: 0 },
): Generator<Found, void, undefined> {
  const plan = planQuery(collection.indexes, query.filter, query.sort);
  const last = query.limit === 0 ? Number.POSITIVE_INFINITY : query.skip + query.limit;
  // Where all that is read is found, no more is read than is asked for; merged scans each begin with little.
  const firstPage = plan.merged ? 4 : plan.sorted && plan.exact && query.limit > 0 ? Math.min(last, 1000) : 16;
  const found = matching(
    scan({ records, collection, plan, sort: query.sort, differences, firstPage, examined }),
    compileFilter(query.filter),
    plan.exact,
  );
  let count = 0;
  for (const each of plan.sorted ? found : inOrder(records, collection, found, query.sort, last)) {
    count += 1;
    if (count > query.skip) yield each;
    if (count === last) return;
  }
}

function* matching(candidates: Iterable<Candidate>, matches: Matcher, exact: boolean): Generator<Candidate> {
  for (const each of candidates) if ((exact && !each.different) || matches(each.document(), each)) yield each;
}

/** Sorts by keeping only the sort keys; the documents are read again when their turn comes. */
function* inOrder(
  records: Records,
  collection: Collection,
  found: Iterable<Candidate>,
  sort: readonly SortField[],
  last: number,
): Generator<Found, void, undefined> {
  const rows: { key: Buffer; record: number; own: Found | undefined }[] = [];
  for (const each of found) {
    // A small result is kept whole; a large one must not hold all its documents in memory.
    const keep = each.different || rows.length < 200;
    rows.push({ key: sortKeyOf(sort, each.document()), record: each.record, own: keep ? each : undefined });
  }
  rows.sort((left, right) => Buffer.compare(left.key, right.key));
  for (const { record, own } of rows.slice(0, last)) {
    const body = own?.body ?? (collection.dropped ? undefined : records.read(collection, record));
    if (body !== undefined) yield own ?? candidateOf({ record, body }, false);
  }
}
