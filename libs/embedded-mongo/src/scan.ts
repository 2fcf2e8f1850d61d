import { Buffer } from "node:buffer";
import type { Range } from "./bounds.ts";
import type { Collection, Index } from "./catalog.ts";
import { keysInIndex } from "./documents.ts";
import { serverError } from "./errors.ts";
import type { Plan } from "./planner.ts";
import type { Records, ScanPosition, StoredRow } from "./records.ts";
import { decode } from "./values.ts";

/** What a transaction sees differently from the committed rows. */
export type Differences = ReadonlyMap<number, Uint8Array | undefined>;

/** A candidate of a query. */
export interface Candidate {
  readonly record: number;
  readonly body: Uint8Array;
  /** Not from the committed rows but from a transaction's own view. */
  readonly different: boolean;
}

const firstPage = 16;
const largestPage = 1024;

/**
 * Reads the candidates of a plan in its order. Between two candidates no statement is open, so the caller may write,
 * or go on much later (a cursor): it then reads from its last place.
 */
export function* scan(
  records: Records,
  collection: Collection,
  plan: Plan,
  differences: Differences | undefined,
): Generator<Candidate, void, undefined> {
  switch (plan.kind) {
    case "collection":
      yield* merged(
        pages(collection, (after, limit) => records.readRecords(collection, after?.record ?? 0, limit)),
        {
          differences,
          rows: rowsByRecord(differences),
          reverse: false,
        },
      );
      return;
    case "index": {
      const seen = plan.index.multikey.includes(true) ? new Set<number>() : undefined;
      for (const range of plan.reverse ? [...plan.ranges].reverse() : plan.ranges) {
        const committed = pages(collection, (after, limit) =>
          records.readKeys(collection, plan.index, range, plan.reverse, after, limit),
        );
        const rows = rowsByKey(differences, plan.index, range, plan.reverse);
        for (const candidate of merged(committed, { differences, rows, reverse: plan.reverse })) {
          if (seen?.has(candidate.record) === true) continue;
          seen?.add(candidate.record);
          yield candidate;
        }
      }
      return;
    }
    case "union": {
      const seen = new Set<number>();
      for (const part of plan.plans) {
        for (const candidate of scan(records, collection, part, differences)) {
          if (seen.has(candidate.record)) continue;
          seen.add(candidate.record);
          yield candidate;
        }
      }
    }
  }
}

function* pages(
  collection: Collection,
  read: (after: ScanPosition | undefined, limit: number) => StoredRow[],
): Generator<StoredRow, void, undefined> {
  let after: ScanPosition | undefined;
  for (let limit = firstPage; ; limit = Math.min(limit * 4, largestPage)) {
    if (collection.dropped) throw serverError("QueryPlanKilled", `the collection ${collection.name} was dropped`);
    const rows = read(after, limit);
    yield* rows;
    after = rows.at(-1);
    if (after === undefined) return;
  }
}

interface Overlay {
  readonly differences: Differences | undefined;
  /** The transaction's own rows of this scan, in its order. */
  readonly rows: readonly StoredRow[];
  readonly reverse: boolean;
}

function* merged(committed: Iterable<StoredRow>, overlay: Overlay): Generator<Candidate, void, undefined> {
  const { differences, rows, reverse } = overlay;
  let at = 0;
  for (const row of committed) {
    for (let own = rows[at]; own !== undefined && isBefore(own, row, reverse); own = rows[++at]) {
      yield { record: own.record, body: own.body, different: true };
    }
    if (differences?.has(row.record) !== true) yield { record: row.record, body: row.body, different: false };
  }
  for (const own of rows.slice(at)) yield { record: own.record, body: own.body, different: true };
}

function isBefore(left: StoredRow, right: StoredRow, reverse: boolean): boolean {
  const order = Buffer.compare(left.key, right.key) || left.record - right.record;
  return reverse ? order > 0 : order < 0;
}

function rowsByRecord(differences: Differences | undefined): StoredRow[] {
  const rows: StoredRow[] = [];
  for (const [record, body] of differences ?? []) {
    if (body !== undefined) rows.push({ record, body, key: new Uint8Array(0) });
  }
  return rows.sort((left, right) => left.record - right.record);
}

function rowsByKey(differences: Differences | undefined, index: Index, range: Range, reverse: boolean): StoredRow[] {
  const rows: StoredRow[] = [];
  for (const [record, body] of differences ?? []) {
    if (body === undefined) continue;
    for (const key of keysInIndex(index, decode(body))?.keys ?? []) {
      if (Buffer.compare(key, range.from) >= 0 && Buffer.compare(key, range.to) < 0) rows.push({ record, body, key });
    }
  }
  return rows.sort((left, right) => (isBefore(left, right, reverse) ? -1 : 1));
}
