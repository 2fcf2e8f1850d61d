import { Buffer } from "node:buffer";
import type { Collection } from "../storage/catalog.ts";
import { getConditions, getConstraint } from "./bounds.ts";
import type { Differences } from "../sessions/differences.ts";
import type { Filter } from "./filter.ts";
import type { IndexField } from "../indexes/index-definition.ts";
import { getSortKey } from "../indexes/index-keys.ts";
import { compileFilter, type Matcher } from "./matcher.ts";
import { planQuery } from "./planner.ts";
import { toStoredDocument, type StoredDocument, type Records, type RowCounter } from "../storage/records.ts";
import { sortByKey, type Keyed } from "./sorting.ts";

/** A parsed query with its sort, skip and limit. */
export interface Query {
  readonly filter: Filter;
  readonly sort: readonly IndexField[];
  readonly skip: number;
  /** The maximum number of documents; 0 for no limit. */
  readonly limit: number;
  /** True if only the number of rows is needed. If an index alone answers the query, their documents are not read, and are empty. */
  readonly onlyCounted?: boolean;
}

/** A generator of rows. It yields `undefined` when the work may pause. */
type Rows = Generator<StoredDocument | undefined, void, undefined>;

/** Returns how the documents that a transaction sees differ from the committed ones now. */
export type View = () => Differences;

/** The options of a query. */
export interface QueryOptions {
  /** Returns true if it is time to pause. */
  readonly isOver?: () => boolean;
  /** The view of the transaction, which may change while the query pauses. */
  readonly view?: View | undefined;
  /** The counter of the rows that the query reads. */
  readonly counter?: RowCounter;
}

/** A row of a result. In a large result, only the record number is kept, and the row is read again later. */
export interface Place {
  readonly record: number;
  readonly row: StoredDocument | undefined;
}

type KeyedPlace = Place & Keyed;

/** The maximum number of rows that are kept while a result is collected. */
const maxKeptRows = 200;

/**
 * Runs a query lazily, like `Records.scan`. Outside of a transaction, it returns the committed documents at the time when it reads them.
 * With a view, it returns what the transaction sees, even if it pauses.
 */
export function* runQuery(
  records: Records,
  collection: Collection,
  { filter, sort, skip, limit, onlyCounted = false }: Query,
  { isOver = () => false, view, counter = records }: QueryOptions = {},
): Rows {
  const { scans, sorted, exact } = planQuery(collection.indexes, filter, sort);
  const merged = sorted && sort.length > 0 && scans.length > 1;
  const matches = compileFilter(filter);
  const last = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  const keysOnly = onlyCounted && exact && sorted && !merged && view === undefined;
  // If every row that is read matches, no more rows are read than requested. Merged scans start with a few rows each.
  const firstPage = merged ? 4 : sorted && exact && limit > 0 ? last : 16;

  const read = (record: number): StoredDocument | undefined =>
    readDocument(records, collection, matches, { record, row: undefined }, view);

  /** Yields the committed rows that match and that the transaction does not see differently, each once. */
  function* committed(): Rows {
    const repeats = scans.length > 1 || scans[0]?.index?.multikey.includes(true) === true;
    const seen = new Set<number>();
    const sources = scans.map((scan) => records.scan(collection, scan, { firstPage, counter, keysOnly }));
    for (const row of merged ? merge(sources, sort) : concatenate(sources)) {
      if (!seen.has(row.record) && view?.().has(row.record) !== true) {
        if (repeats) seen.add(row.record);
        if (exact || matches(row.document(), row)) yield row;
      }
      if (isOver()) yield undefined;
    }
  }

  function* readAgain(places: Iterable<Place>): Rows {
    for (const { record, row = read(record) } of places) {
      if (row !== undefined) yield row;
      if (isOver()) yield undefined;
    }
  }

  /** Sorts the rows in memory. */
  function* inOrder(rows: Iterable<StoredDocument | undefined>): Rows {
    const places: KeyedPlace[] = [];
    for (const row of rows) {
      if (row === undefined) yield undefined;
      else places.push({ ...getPlace(row, places.length), key: getSortKey(sort, row.document()) });
    }
    yield* readAgain(yield* sortByKey(places, isOver));
  }

  /**
   * Yields the rows as a transaction sees them. A document that did not change since the snapshot kept its position in every scan, so the
   * scan returns it. Changed documents, including those that changed during pauses, are in the view when the scan ends.
   */
  function* readSnapshot(transaction: View): Rows {
    const source = committed();
    const maxPlaces = sorted ? last : Number.POSITIVE_INFINITY;
    let places: Place[] = [];
    for (let ended = false; !ended && places.length < maxPlaces;) {
      const { value, done } = source.next();
      if (done === true) ended = true;
      else if (value === undefined) yield undefined;
      else places.push(getPlace(value, places.length));
      if (ended || places.length >= maxPlaces) {
        const changed = transaction();
        places = places.filter(({ record }) => !changed.has(record));
      }
    }
    const constraints = getConditions(filter).flatMap((condition) => getConstraint(condition) ?? []);
    const own = [...transaction().records(constraints)].flatMap((record) => read(record) ?? []);
    const found = concatenate<StoredDocument | undefined>([readAgain(places), own]);
    yield* sort.length > 0 && (own.length > 0 || !sorted) ? inOrder(found) : found;
  }

  let rows = committed();
  if (view !== undefined) rows = readSnapshot(view);
  else if (!sorted) rows = inOrder(rows);
  let count = 0;
  for (const row of rows) {
    if (row !== undefined) count += 1;
    if (row === undefined || count > skip) yield row;
    if (count === last) return;
  }
}

/**
 * Reads a document as a transaction sees it, or the committed one. Returns undefined if it does not exist or does not match. `known` is a
 * version that matches, and that is returned if the document has not changed.
 */
export function readDocument(
  records: Records,
  collection: Collection,
  matches: Matcher,
  { record, row: known }: Place,
  view?: View,
): StoredDocument | undefined {
  const differences = view?.();
  const isDifferent = differences?.has(record) === true;
  const version = isDifferent ? differences.get(record) : undefined;
  const body = isDifferent ? version?.body : records.read(collection, record);
  if (body === undefined || (known !== undefined && Buffer.compare(body, known.body) === 0)) return body && known;
  const row = toStoredDocument(record, body, version);
  return matches(row.document(), row) ? row : undefined;
}

/** Returns the place of a row in a result that has `before` rows before it. */
export function getPlace(row: StoredDocument, before: number): Place {
  return { record: row.record, row: before < maxKeptRows ? row : undefined };
}

function* concatenate<Row>(sources: readonly Iterable<Row>[]): Generator<Row, void, undefined> {
  for (const source of sources) yield* source;
}

type Source = Generator<StoredDocument, void, undefined>;

/** Merges rows from sources that are each in the sort order. */
function* merge(sources: readonly Source[], sort: readonly IndexField[]): Source {
  const next = (source: Source) => {
    const { value } = source.next();
    return value === undefined ? [] : [{ source, value, key: getSortKey(sort, value.document()) }];
  };
  let heads = sources.flatMap(next);
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (Buffer.compare(head.key, least.key) < 0 ? head : least));
    yield first.value;
    heads = heads.flatMap((head) => (head === first ? next(head.source) : [head]));
  }
}
