import type { Collection } from "../storage/catalog.ts";
import { transientError } from "../errors.ts";
import { WaitForTransaction } from "../scheduling/wait-for-transaction.ts";
import { Differences, type Replaced, type Version } from "./differences.ts";

/** A change of a document: the committed version before it, and the version after it. */
export interface Change {
  readonly collection: Collection;
  readonly record: number;
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}

/**
 * The records and unique keys that a change locks, by name. A unique key that the change adds has the record; one that it removes has
 * undefined.
 */
export type LockedNames = ReadonlyMap<string, number | undefined>;

/** An open transaction. Its changes are only in memory until it commits. */
export interface Transaction {
  /** The number of the last committed change that the transaction sees. */
  readonly snapshot: number;
  /** The time of its start by `performance.now`, which no change of the system's clock affects. */
  readonly startedAt: number;
  readonly changes: Map<string, Change>;
  readonly held: Map<string, number | undefined>;
  /** What it sees differently, by collection. */
  readonly differences: Map<Collection, Differences>;
}

/** The isolation of transactions: what they see and lock, and when they conflict. */
export class Transactions {
  /** A promise that resolves when the next transaction ends. */
  #nextEnd = Promise.withResolvers<void>();
  readonly #open = new Set<Transaction>();
  /** The number of changes that were committed while a transaction was open. */
  #now = 0;
  /** The number of the last change by name, since the oldest open snapshot, in ascending order. */
  readonly #changedAt = new Map<string, number>();
  /** The versions that these changes replaced, in order. */
  readonly #history = new Map<Collection, Replaced[]>();

  begin(): Transaction {
    const start = { snapshot: this.#now, startedAt: performance.now() };
    const transaction = { ...start, changes: new Map(), held: new Map(), differences: new Map() };
    this.#open.add(transaction);
    return transaction;
  }

  /** Ends a transaction, and releases its locks and the changes that no snapshot needs any longer. */
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

  /** Throws unless the transaction may change what these names lock now. `transaction` is undefined for a single write. */
  check(transaction: Transaction | undefined, names: LockedNames): void {
    const others = [...this.#open].filter((each) => each !== transaction);
    for (const name of names.keys()) {
      const isHeld = others.some(({ held }) => held.has(name));
      if (isHeld && transaction === undefined) throw this.#waitFor("a transaction is changing the document");
      if (isHeld || (this.#changedAt.get(name) ?? 0) > (transaction?.snapshot ?? Infinity)) throw writeConflict();
    }
  }

  /** Returns what to wait for if an open transaction has changed the collection. */
  findConflict(collection: Collection): WaitForTransaction | undefined {
    const changes = [...this.#open].flatMap((each) => [...each.changes.values()]);
    if (changes.every((change) => change.collection !== collection)) return undefined;
    return this.#waitFor("the collection is in a transaction");
  }

  #waitFor(message: string): WaitForTransaction {
    return new WaitForTransaction(message, this.#nextEnd.promise);
  }

  /** Throws if an open transaction has changed the collection. */
  checkCollection(collection: Collection): void {
    const conflict = this.findConflict(collection);
    if (conflict !== undefined) throw conflict;
  }

  /** Throws if the snapshot of a transaction is older than the removal of the collection. */
  checkSnapshot(transaction: Transaction, database: string, name: string): void {
    if ((this.#changedAt.get(`${database}.${name}`) ?? 0) <= transaction.snapshot) return;
    throw transientError("SnapshotUnavailable", `the collection ${database}.${name} was dropped meanwhile`);
  }

  /** Records a change in a transaction, and locks it against others. */
  hold(transaction: Transaction, change: Change, names: LockedNames): void {
    const place = `${change.collection.id}:${change.record}`;
    transaction.changes.set(place, { ...change, before: (transaction.changes.get(place) ?? change).before });
    this.getDifferences(transaction, change.collection).set(change.record, change.after);
    for (const [name, record] of names) transaction.held.set(name, record);
  }

  /** Records a change that is committed, for the snapshots of open transactions. */
  noteCommit({ collection, record, before }: Change, names: LockedNames): void {
    if (this.#open.size === 0) return;
    this.#now += 1;
    const versions = this.#history.get(collection) ?? [];
    this.#history.set(collection, versions);
    versions.push({ at: this.#now, record, before: before?.body });
    for (const name of names.keys()) this.#noteChange(name);
  }

  /** Records, after the changes of a transaction, all that it locked: also keys that it added and removed again conflict with open transactions. */
  noteLocks({ held }: Transaction): void {
    for (const name of held.keys()) this.#noteChange(name);
  }

  /** Records that a collection is dropped. Transactions that could have read it fail. */
  noteDrop(database: string, name: string): void {
    if (this.#open.size === 0) return;
    this.#now += 1;
    this.#noteChange(`${database}.${name}`);
  }

  #noteChange(name: string): void {
    // The entry is deleted first, because it would otherwise keep its position.
    this.#changedAt.delete(name);
    this.#changedAt.set(name, this.#now);
  }

  /** Returns how the documents of a collection that a transaction sees differ from the committed ones now. */
  getDifferences({ differences, snapshot }: Transaction, collection: Collection): Differences {
    let known = differences.get(collection);
    if (known === undefined) differences.set(collection, (known = new Differences(snapshot)));
    known.addReplaced(this.#history.get(collection) ?? []);
    return known;
  }
}

function writeConflict(): Error {
  const text = "WriteConflict error: this operation conflicted with another operation.";
  return transientError("WriteConflict", `${text} Please retry your operation or multi-document transaction.`);
}
