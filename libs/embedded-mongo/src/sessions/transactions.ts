import type { Collection } from "../storage/catalog.ts";
import { transientError } from "../errors.ts";
import { WaitForTransaction } from "../scheduling/wait-for-transaction.ts";
import type { Document } from "../values/values.ts";

/** A document by its bytes, decoded on demand. */
export interface Version {
  readonly body: Uint8Array;
  document(): Document;
}

/** A change of one document: what was committed before, and what it leaves. */
export interface Change {
  readonly collection: Collection;
  readonly record: number;
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}

/** The records and unique keys of a change, by names of their own: a key it takes with the record, one it gives free without. */
export type LockedNames = ReadonlyMap<string, number | undefined>;

/** An open transaction: what it changed is only in memory until it commits. */
export interface Transaction {
  /** It sees the changes up to this one. */
  readonly snapshot: number;
  readonly startedAt: number;
  readonly changes: Map<string, Change>;
  readonly held: Map<string, number | undefined>;
}

/** Who may change what: the rules by which transactions see and stop each other. */
export class Transactions {
  /** Resolves when the next transaction ends. */
  #nextEnd = Promise.withResolvers<void>();
  readonly #open = new Set<Transaction>();
  /** Counts the changes that were committed while a transaction was open. */
  #now = 0;
  /** The last change of what has this name, of those since the oldest open snapshot; the first is the oldest. */
  readonly #changedAt = new Map<string, number>();
  /** What these changes replaced, in their order. */
  readonly #history = new Map<Collection, { at: number; record: number; before: Uint8Array | undefined }[]>();

  begin(): Transaction {
    const transaction = { snapshot: this.#now, startedAt: Date.now(), changes: new Map(), held: new Map() };
    this.#open.add(transaction);
    return transaction;
  }

  /** Ends it, and lets go of everything it held and of the changes that no snapshot needs any more. */
  end(transaction: Transaction): void {
    this.#open.delete(transaction);
    const [oldest] = this.#open;
    const needed = (oldest?.snapshot ?? Infinity) + 1;
    for (const [collection, versions] of this.#history) {
      const first = versions.findIndex(({ at }) => at >= needed);
      if (first < 0) this.#history.delete(collection);
      else versions.splice(0, first);
    }
    for (const [name, at] of this.#changedAt) {
      if (at >= needed) break;
      this.#changedAt.delete(name);
    }
    this.#nextEnd.resolve();
    this.#nextEnd = Promise.withResolvers();
  }

  /** Throws unless `transaction` (undefined: a write of its own) may change what has these names now. */
  check(transaction: Transaction | undefined, names: LockedNames): void {
    const others = [...this.#open].filter((each) => each !== transaction);
    for (const name of names.keys()) {
      const isHeld = others.some(({ held }) => held.has(name));
      if (isHeld && transaction === undefined) throw this.#waitFor("a transaction is changing the document");
      if (isHeld || (this.#changedAt.get(name) ?? 0) > (transaction?.snapshot ?? Infinity)) throw writeConflict();
    }
  }

  /** What to wait for while an open transaction has changed something in the collection. */
  findConflict(collection: Collection): WaitForTransaction | undefined {
    const changes = [...this.#open].flatMap((each) => [...each.changes.values()]);
    if (changes.every((change) => change.collection !== collection)) return undefined;
    return this.#waitFor("the collection is in a transaction");
  }

  #waitFor(message: string): WaitForTransaction {
    return new WaitForTransaction(message, this.#nextEnd.promise);
  }

  /** Throws when an open transaction changed something in the collection. */
  checkCollection(collection: Collection): void {
    const inTheWay = this.findConflict(collection);
    if (inTheWay !== undefined) throw inTheWay;
  }

  /** Throws for a transaction whose snapshot is older than the removal of the collection. */
  checkSnapshot(transaction: Transaction, database: string, name: string): void {
    if ((this.#changedAt.get(`${database}.${name}`) ?? 0) <= transaction.snapshot) return;
    throw transientError("SnapshotUnavailable", `the collection ${database}.${name} was dropped meanwhile`);
  }

  /** Notes a change in a transaction, so that others keep off. */
  hold(transaction: Transaction, change: Change, names: LockedNames): void {
    const place = `${change.collection.id}:${change.record}`;
    transaction.changes.set(place, { ...change, before: (transaction.changes.get(place) ?? change).before });
    for (const [name, record] of names) transaction.held.set(name, record);
  }

  /** Notes a change that is being committed, for the snapshots of open transactions. */
  noteCommit({ collection, record, before }: Change, names: LockedNames): void {
    if (this.#open.size === 0) return;
    this.#now += 1;
    const versions = this.#history.get(collection) ?? [];
    this.#history.set(collection, versions);
    versions.push({ at: this.#now, record, before: before?.body });
    for (const name of names.keys()) this.#noteChange(name);
  }

  /** Notes that a collection is being dropped: transactions that might have seen it fail. */
  noteDrop(database: string, name: string): void {
    if (this.#open.size === 0) return;
    this.#now += 1;
    this.#noteChange(`${database}.${name}`);
  }

  #noteChange(name: string): void {
    // Taken out first: what is set again would keep its place in the order.
    this.#changedAt.delete(name);
    this.#changedAt.set(name, this.#now);
  }

  /** What a transaction sees differently from the committed rows: record to bytes, undefined for "not there". */
  getDifferences(transaction: Transaction, collection: Collection): Map<number, Uint8Array | undefined> {
    const result = new Map<number, Uint8Array | undefined>();
    for (const { at, record, before } of this.#history.get(collection) ?? []) {
      if (at > transaction.snapshot && !result.has(record)) result.set(record, before);
    }
    for (const change of transaction.changes.values()) {
      if (change.collection === collection) result.set(change.record, change.after?.body);
    }
    return result;
  }
}

function writeConflict(): Error {
  const text = "WriteConflict error: this operation conflicted with another operation.";
  return transientError("WriteConflict", `${text} Please retry your operation or multi-document transaction.`);
}
