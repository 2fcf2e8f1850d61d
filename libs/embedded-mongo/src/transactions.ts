import type { Collection } from "./catalog.ts";
import { serverError, transientError } from "./errors.ts";

/** A change of one document in an open transaction: the committed bytes it found and the bytes it will leave. */
export interface PendingChange {
  readonly collection: Collection;
  readonly record: number;
  readonly before: Uint8Array | undefined;
  after: Uint8Array | undefined;
}

/** An open transaction: what it changed is only in memory until it commits. */
export interface Transaction {
  /** It sees what was committed up to this. */
  readonly snapshot: number;
  readonly startedAt: number;
  readonly changes: Map<string, PendingChange>;
  /** Unique keys it took (a record) or gave free (undefined). */
  readonly keys: Map<string, number | undefined>;
  open: boolean;
}

/** Thrown when a write outside of a transaction meets a document of an open one: the command is run again later. */
export class WaitForTransaction extends Error {
  override readonly name = "WaitForTransaction";
}

/** Who may change what: the rules by which transactions see and stop each other. */
export interface Transactions {
  begin(): Transaction;
  /** Ends it and lets go of everything it held. */
  end(transaction: Transaction): void;
  /** The transactions begun before a time of `Date.now()`. */
  olderThan(time: number): Transaction[];
  readonly openCount: number;
  /** Runs once some transaction ended. */
  onceEnded(callback: () => void): void;
  /** Throws unless `transaction` (undefined: a write of its own) may change the record now. */
  checkRecord(transaction: Transaction | undefined, collection: Collection, record: number): void;
  /** Throws unless `transaction` may take the unique key now. */
  checkKey(transaction: Transaction | undefined, key: string): void;
  /** Throws when an open transaction changed something in the collection. */
  checkCollection(collection: Collection): void;
  /** Notes a change in a transaction, so that others keep off. */
  hold(transaction: Transaction, change: PendingChange, keys: ReadonlyMap<string, number | undefined>): void;
  /** Notes a change that is being committed, for the snapshots of open transactions. */
  noteCommit(collection: Collection, record: number, before: Uint8Array | undefined, keys: Iterable<string>): void;
  /** Notes that a collection is gone: transactions that might have seen it fail. */
  noteDrop(database: string, name: string): void;
  /** Throws for a transaction whose snapshot is older than the collection's removal. */
  checkSnapshot(transaction: Transaction, database: string, name: string): void;
  /** The commit is done: later snapshots see it. */
  advance(): void;
  /** What a transaction sees differently from the committed rows: record to bytes, undefined for "not there". */
  differences(transaction: Transaction, collection: Collection): Map<number, Uint8Array | undefined>;
}

interface OldVersion {
  readonly sequence: number;
  readonly before: Uint8Array | undefined;
}

/** Creates the rules, without any open transaction. */
export function createTransactions(): Transactions {
  const open = new Set<Transaction>();
  const recordHolders = new Map<string, Transaction>();
  const keyHolders = new Map<string, Transaction>();
  /** For each collection and record: what it was before each commit since the oldest open snapshot. */
  const history = new Map<number, Map<number, OldVersion[]>>();
  const keyHistory = new Map<string, number>();
  const drops = new Map<string, number>();
  let waiting: (() => void)[] = [];
  let sequence = 0;

  const recordKey = (collection: Collection, record: number): string => `${collection.id}:${record}`;

  function meet(transaction: Transaction | undefined, holder: Transaction | undefined): void {
    if (holder === undefined || holder === transaction) return;
    if (transaction === undefined) throw new WaitForTransaction("the document is being changed by a transaction");
    throw writeConflict();
  }

  return {
    begin() {
      const transaction: Transaction = {
        snapshot: sequence,
        startedAt: Date.now(),
        changes: new Map(),
        keys: new Map(),
        open: true,
      };
      open.add(transaction);
      return transaction;
    },
    end(transaction) {
      if (!open.delete(transaction)) return;
      transaction.open = false;
      for (const key of transaction.changes.keys()) recordHolders.delete(key);
      for (const key of transaction.keys.keys()) keyHolders.delete(key);
      if (open.size === 0) {
        history.clear();
        keyHistory.clear();
        drops.clear();
      }
      const callbacks = waiting;
      waiting = [];
      for (const callback of callbacks) callback();
    },
    olderThan: (time) => [...open].filter(({ startedAt }) => startedAt < time),
    get openCount() {
      return open.size;
    },
    onceEnded(callback) {
      waiting.push(callback);
    },
    checkRecord(transaction, collection, record) {
      meet(transaction, recordHolders.get(recordKey(collection, record)));
      if (transaction === undefined) return;
      const versions = history.get(collection.id)?.get(record);
      if (versions?.some((version) => version.sequence > transaction.snapshot) === true) throw writeConflict();
    },
    checkKey(transaction, key) {
      meet(transaction, keyHolders.get(key));
      if (transaction !== undefined && (keyHistory.get(key) ?? 0) > transaction.snapshot) throw writeConflict();
    },
    checkCollection(collection) {
      for (const transaction of open) {
        for (const change of transaction.changes.values()) {
          if (change.collection === collection) throw new WaitForTransaction("the collection is in a transaction");
        }
      }
    },
    hold(transaction, change, keys) {
      const key = recordKey(change.collection, change.record);
      const earlier = transaction.changes.get(key);
      if (earlier === undefined) transaction.changes.set(key, change);
      else earlier.after = change.after;
      recordHolders.set(key, transaction);
      for (const [each, record] of keys) {
        transaction.keys.set(each, record);
        keyHolders.set(each, transaction);
      }
    },
    noteCommit(collection, record, before, keys) {
      if (open.size === 0) return;
      let records = history.get(collection.id);
      if (records === undefined) history.set(collection.id, (records = new Map<number, OldVersion[]>()));
      const versions = records.get(record);
      if (versions === undefined) records.set(record, [{ sequence: sequence + 1, before }]);
      else versions.push({ sequence: sequence + 1, before });
      for (const key of keys) keyHistory.set(key, sequence + 1);
    },
    noteDrop(database, name) {
      if (open.size > 0) drops.set(`${database}.${name}`, sequence + 1);
    },
    checkSnapshot(transaction, database, name) {
      if ((drops.get(`${database}.${name}`) ?? 0) > transaction.snapshot) {
        throw transientError("SnapshotUnavailable", `the collection ${database}.${name} was dropped meanwhile`);
      }
    },
    advance() {
      sequence += 1;
    },
    differences(transaction, collection) {
      const result = new Map<number, Uint8Array | undefined>();
      for (const [record, versions] of history.get(collection.id) ?? []) {
        const version = versions.find((each) => each.sequence > transaction.snapshot);
        if (version !== undefined) result.set(record, version.before);
      }
      for (const change of transaction.changes.values()) {
        if (change.collection === collection) result.set(change.record, change.after);
      }
      return result;
    },
  };
}

/** The error for a transaction that lost against another one. */
export function writeConflict(): Error {
  return transientError(
    "WriteConflict",
    "WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.",
  );
}

/** The error for a transaction that the server does not know (any more). */
export function noSuchTransaction(number: bigint): Error {
  return transientError(
    "NoSuchTransaction",
    `Given transaction number ${number} does not match any in-progress transactions. It was aborted, ended or never begun here.`,
  );
}

/** The error for a transaction number that an earlier number of the same session has overtaken. */
export function transactionTooOld(number: bigint): Error {
  return serverError("TransactionTooOld", `the transaction number ${number} is older than the session's last one`);
}
