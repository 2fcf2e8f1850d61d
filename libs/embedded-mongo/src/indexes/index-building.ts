import type { Buffer } from "node:buffer";
import type { Collection, Index } from "../storage/catalog.ts";
import type { Engine } from "../engine.ts";
import { createFieldKeys, getIndexKeys } from "./index-keys.ts";
import { wholeCollection } from "../query/planner.ts";
import { checkExists } from "../storage/records.ts";
import { sortByKey } from "../query/sorting.ts";
import { WaitForTransaction } from "../scheduling/wait-for-transaction.ts";
import type { Steps } from "../scheduling/time-slices.ts";

/** A key of a document that is added to an index. */
interface NewKey {
  readonly key: Buffer;
  readonly record: number;
}

/** The size of the keys of all indexes that are collected in memory before they are sorted and added, in bytes: about 50,000 short keys. */
const maxBufferedBytes = 8 * 1024 * 1024;
/** The approximate memory that a key takes in addition to its bytes. */
const bytesPerKey = 120;

/**
 * Fills new indexes of a collection with the keys of the existing documents. Each document is read and decoded once for all indexes, and
 * the keys are added in sorted batches. A duplicate of a unique key, and a collection that is dropped meanwhile, are errors. Others may change documents while it pauses: they write
 * the changed keys themselves, and `Collection.changed` contains the documents whose collected keys are out of date.
 */
export function* fillIndexes(engine: Engine, collection: Collection, indexes: readonly Index[]): Steps<void> {
  const { catalog, records, timeSlices } = engine;
  const batches = new Map(indexes.map((index) => [index, [] as NewKey[]]));
  let collected = 0;
  for (const found of records.scan(collection, wholeCollection)) {
    const fields = createFieldKeys(found.document());
    for (const [index, batch] of batches) {
      const { keys, multikey } = getIndexKeys(index.definition, fields);
      catalog.markMultikey(index, multikey);
      for (const { key } of keys.values()) {
        batch.push({ key, record: found.record });
        collected += bytesPerKey + key.length;
      }
    }
    if (collected >= maxBufferedBytes) {
      yield* addBatches(engine, collection, batches);
      collected = 0;
    }
    if (timeSlices.isOver) yield undefined;
  }
  yield* addBatches(engine, collection, batches);
}

/** Adds all keys of the batches, and empties them. */
function* addBatches(engine: Engine, collection: Collection, batches: ReadonlyMap<Index, NewKey[]>): Steps<void> {
  const { documents, records, timeSlices } = engine;
  for (const [index, batch] of batches) {
    for (const { key, record } of yield* sortByKey(batch.splice(0), () => timeSlices.isOver)) {
      // In a pause, the collection may have been dropped, and the table of the index removed.
      checkExists(collection);
      if (index.definition.unique || collection.changed.has(record)) {
        yield* afterTransactions(() => documents.addKeys(collection, index, record));
      } else records.addKey(index, key, record);
      if (timeSlices.isOver) yield undefined;
    }
  }
}

/** Does work after the conflicting open transactions have ended. */
function* afterTransactions(work: () => void): Steps<void> {
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!(error instanceof WaitForTransaction)) throw error;
      yield error;
    }
  }
}
