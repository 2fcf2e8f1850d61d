import type { Collection } from "./catalog.ts";
import type { Engine } from "../engine.ts";
import { parseFilter } from "../query/filter.ts";
import type { IndexDefinition } from "../indexes/index-definition.ts";
import { compileFilter } from "../query/matcher.ts";
import type { StoredDocument } from "./records.ts";
import { WaitForTransaction } from "../scheduling/wait-for-transaction.ts";
import type { Steps } from "../scheduling/time-slices.ts";

/**
 * Removes, step by step, the documents that have expired according to a TTL index. Documents that an open transaction has changed are
 * left for the next call.
 */
export function* removeExpired(engine: Engine, now: Date): Steps<void> {
  for (const collection of engine.catalog.list()) {
    for (const { definition } of collection.indexes) {
      if (!collection.dropped) yield* removeExpiredBy(engine, collection, definition, now);
    }
  }
}

function* removeExpiredBy(engine: Engine, collection: Collection, definition: IndexDefinition, now: Date): Steps<void> {
  const { expireAfterSeconds, fields, specification } = definition;
  if (expireAfterSeconds === undefined || fields[0] === undefined) return;
  const expired = { [fields[0].name]: { $lt: new Date(now.getTime() - expireAfterSeconds * 1000) } };
  const filter = parseFilter({ $and: [expired, specification["partialFilterExpression"] ?? {}] });
  const matches = compileFilter(filter);
  for (const found of engine.query(undefined, collection, { filter, sort: [], skip: 0, limit: 0 })) {
    if (found === undefined) yield undefined;
    else
      removeOne(
        engine,
        collection,
        engine.current(undefined, collection, matches, { record: found.record, row: found }),
      );
  }
}

function removeOne(engine: Engine, collection: Collection, found: StoredDocument | undefined): void {
  try {
    if (found !== undefined) engine.documents.remove(undefined, collection, found);
  } catch (error) {
    if (!(error instanceof WaitForTransaction)) throw error;
  }
}
