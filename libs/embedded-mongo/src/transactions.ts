import type { Collection } from "./catalog.ts";
import { serverError, transientError } from "./errors.ts";
import type { Document } from "./values.ts";

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
export type Names = ReadonlyMap<string, number | undefined>;

/** An open transaction: what it changed is only in memory until it commits. */
export interface Transaction {
  /** It sees what was committed up to this. */
  readonly snapshot: number;
  readonly startedAt: number;
  readonly changes: Map<string, Change>;
  readonly held: Map<string, number | undefined>;
  open: boolean;
}

/** What a document was before a commit. */
interface OldVersion {
  readonly commit: number;
  readonly before: Uint8Array | undefined;
}

/** Thrown when a write outside of a transaction meets a document of an open one: the command is run again later. */
export class WaitForTransaction extends Error {
  override readonly name = "WaitForTransaction";
}

/** Who may change what: the rules by which transactions see and stop each other. */
export class Transactions {
  readonly #open = new Set<Transaction>();
  readonly #holders = new Map<string, Transaction>();
  /** The last commit that changed what has this name, of those since the oldest open snapshot. */
  readonly #changedAt = new Map<string, number>();
  /** By collection and record: what it was before each of these commits. */
  readonly #history = new Map<number, Map<number, OldVersion[]>>();
  #waiting: (() => void)[] = [];
  #commit = 1;

  begin(): Transaction {
    const snapshot = this.#commit - 1;
    const transaction = { snapshot, startedAt: Date.now(), changes: new Map(), held: new Map(), open: true };
    this.#open.add(transaction);
    return transaction;
  }

  /** Ends it and lets go of everything it held. */
  end(transaction: Transaction): void {
    if (!this.#open.delete(transaction)) return;
    transaction.open = false;
    for (const name of transaction.held.keys()) this.#holders.delete(name);
    if (this.#open.size === 0) for (const noted of [this.#history, this.#changedAt]) noted.clear();
    for (const callback of this.#waiting.splice(0)) callback();
  }

  /** Whether any transaction is open; without one, nothing needs a name. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  /** Runs once some transaction ended. */
  onceEnded(callback: () => void): void {
    this.#waiting.push(callback);
  }

  /** Throws unless `transaction` (undefined: a write of its own) may change what has these names now. */
  check(transaction: Transaction | undefined, names: Names): void {
    for (const name of names.keys()) {
      const holder = this.#holders.get(name);
      const isHeld = holder !== undefined && holder !== transaction;
      if (isHeld && transaction === undefined) throw new WaitForTransaction("a transaction is changing the document");
      if (isHeld || (this.#changedAt.get(name) ?? 0) > (transaction?.snapshot ?? Infinity)) throw writeConflict();
    }
  }

  /** Throws when an open transaction changed something in the collection. */
  checkCollection(collection: Collection): void {
    for (const { changes } of this.#open) {
      for (const change of changes.values()) {
        if (change.collection === collection) throw new WaitForTransaction("the collection is in a transaction");
      }
    }
  }

  /** Throws for a transaction whose snapshot is older than the removal of the collection. */
  checkSnapshot(transaction: Transaction, database: string, name: string): void {
    if ((this.#changedAt.get(`${database}.${name}`) ?? 0) <= transaction.snapshot) return;
    throw transientError("SnapshotUnavailable", `the collection ${database}.${name} was dropped meanwhile`);
  }

  /** Notes a change in a transaction, so that others keep off. */
  hold(transaction: Transaction, change: Change, names: Names): void {
    const place = `${change.collection.id}:${change.record}`;
    transaction.changes.set(place, { ...change, before: (transaction.changes.get(place) ?? change).before });
    for (const [name, record] of names) {
      transaction.held.set(name, record);
      this.#holders.set(name, transaction);
    }
  }

  /** Notes a change that is being committed, for the snapshots of open transactions. */
  noteCommit({ collection, record, before }: Change, names: Names): void {
    if (!this.any) return;
    const records = this.#history.get(collection.id) ?? new Map<number, OldVersion[]>();
    this.#history.set(collection.id, records);
    records.set(record, [...(records.get(record) ?? []), { commit: this.#commit, before: before?.body }]);
    for (const name of names.keys()) this.#changedAt.set(name, this.#commit);
  }

  /** Notes that a collection is being dropped: transactions that might have seen it fail. */
  noteDrop(database: string, name: string): void {
    if (this.any) this.#changedAt.set(`${database}.${name}`, this.#commit);
  }

  /** The commit is done: later snapshots see it. */
  advance(): void {
    this.#commit += 1;
  }

  /** What a transaction sees differently from the committed rows: record to bytes, undefined for "not there". */
  differences(transaction: Transaction, collection: Collection): Map<number, Uint8Array | undefined> {
    const result = new Map<number, Uint8Array | undefined>();
    for (const [record, versions] of this.#history.get(collection.id) ?? []) {
      const version = versions.find(({ commit }) => commit > transaction.snapshot);
      if (version !== undefined) result.set(record, version.before);
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

/** The error for a transaction that the server does not know (any more). */
export function noSuchTransaction(number: bigint): Error {
  const text = `Given transaction number ${number} does not match any in-progress transactions.`;
  return transientError("NoSuchTransaction", `${text} It was aborted, ended or never begun here.`);
}

/** The error for a transaction number that an earlier number of the same session has overtaken. */
export function transactionTooOld(number: bigint): Error {
  return serverError("TransactionTooOld", `the transaction number ${number} is older than the session's last one`);
}
