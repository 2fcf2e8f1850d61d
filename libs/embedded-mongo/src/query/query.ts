import { Buffer } from "node:buffer";
import type { Collection } from "../storage/catalog.ts";
import type { Filter } from "./filter.ts";
import type { IndexField } from "../indexes/index-definition.ts";
import { getSortKey } from "../indexes/index-keys.ts";
import { compileFilter } from "./matcher.ts";
import { planQuery } from "./planner.ts";
import { toStoredDocument, type StoredDocument, type Records, type RowCounter } from "../storage/records.ts";
import { sortByKey, type Keyed } from "./sorting.ts";

/** A query that was read. */
export interface Query {
  readonly filter: Filter;
  readonly sort: readonly IndexField[];
  readonly skip: number;
  /** 0 for "all". */
  readonly limit: number;
}

/** Rows one after the other; `undefined` where the work may pause. */
type Rows = Generator<StoredDocument | undefined, void, undefined>;

/** What a transaction sees otherwise than the committed documents: records with other bytes or, without any, ones that are not there. */
export type View = () => ReadonlyMap<number, Uint8Array | undefined>;

/** What a query needs besides itself; nothing of it by default. */
export interface QueryOptions {
  /** Whether it is time to pause. */
  readonly isOver?: () => boolean;
  /** For a query in a transaction. It may change while the query pauses. */
  readonly view?: View | undefined;
  /** Counts the rows that the query reads. */
  readonly counter?: RowCounter;
}

/** A row that was found; of a large result only its place is kept, and it is read again when its turn comes. */
interface Place {
  readonly record: number;
  readonly row: StoredDocument | undefined;
}

type KeyedPlace = Place & Keyed;

/** As many rows of a result are kept while it is collected. */
export const maxKeptRows = 200;

/**
 * Runs a query lazily, as `Records.scan` reads. Outside of a transaction it finds what is committed when it gets there. With a view it
 * finds what the transaction sees, however long it pauses.
 */
export function* runQuery(
  records: Records,
  collection: Collection,
  { filter, sort, skip, limit }: Query,
  { isOver = () => false, view, counter = records }: QueryOptions = {},
): Rows {
  const { scans, sorted, exact } = planQuery(collection.indexes, filter, sort);
  const merged = sorted && sort.length > 0 && scans.length > 1;
  const matches = compileFilter(filter);
  const last = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  // Where all that is read is found, no more is read than is asked for; merged scans each begin with little.
  const firstPage = merged ? 4 : sorted && exact && limit > 0 ? last : 16;

  /** The document as the query sees it; undefined when it does not match (any more). */
  function read(record: number): StoredDocument | undefined {
    const changed = view?.();
    const body = changed?.has(record) ? changed.get(record) : records.read(collection, record);
    const row = body === undefined ? undefined : toStoredDocument(record, body);
    return row !== undefined && matches(row.document(), row) ? row : undefined;
  }

  /** The committed rows that match and that the transaction sees like everybody, each once. */
  function* committed(): Rows {
    const repeats = scans.length > 1 || scans[0]?.index?.multikey.includes(true) === true;
    const seen = new Set<number>();
    const sources = scans.map((scan) => records.scan(collection, scan, firstPage, counter));
    for (const row of merged ? merge(sources, sort) : inTurn(sources)) {
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

  /** Sorts in memory. */
  function* inOrder(rows: Iterable<StoredDocument | undefined>): Rows {
    const places: KeyedPlace[] = [];
    for (const row of rows) {
      if (row === undefined) yield undefined;
      else places.push({ ...getPlace(row, places.length), key: getSortKey(sort, row.document()) });
    }
    yield* readAgain(yield* sortByKey(places, isOver));
  }

  /**
   * The rows as a transaction sees them. A document that nobody changed since its snapshot had its place in every scan all the time, so
   * the scan has met it; those that were changed, also while this paused, are in the view when the scan is over.
   */
  function* seenBy(transaction: View): Rows {
    const source = committed();
    const enough = sorted ? last : Number.POSITIVE_INFINITY;
    let places: Place[] = [];
    for (let ended = false; !ended && places.length < enough;) {
      const { value, done } = source.next();
      if (done === true) ended = true;
      else if (value === undefined) yield undefined;
      else places.push(getPlace(value, places.length));
      if (ended || places.length >= enough) {
        const changed = transaction();
        places = places.filter(({ record }) => !changed.has(record));
      }
    }
    const own = [...transaction().keys()].flatMap((record) => read(record) ?? []);
    const found = inTurn<StoredDocument | undefined>([readAgain(places), own]);
    yield* sort.length > 0 && (own.length > 0 || !sorted) ? inOrder(found) : found;
  }

  let rows = committed();
  if (view !== undefined) rows = seenBy(view);
  else if (!sorted) rows = inOrder(rows);
  let count = 0;
  for (const row of rows) {
    if (row !== undefined) count += 1;
    if (row === undefined || count > skip) yield row;
    if (count === last) return;
  }
}

function getPlace(row: StoredDocument, before: number): Place {
  return { record: row.record, row: before < maxKeptRows ? row : undefined };
}

function* inTurn<Row>(sources: readonly Iterable<Row>[]): Generator<Row, void, undefined> {
  for (const source of sources) yield* source;
}

type Source = Generator<StoredDocument, void, undefined>;

/** Merges rows from sources of which each is in the order of the sort. */
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
