import type { Logger } from "@switchyard/rpc";
import { createLeaseSweep } from "./lease-sweep.ts";
import type { LeasedRecord, LeasedStore } from "./leased-store.ts";
import { createSweep } from "./sweep.ts";

/** Works on documents under leases: new ones, and those that other processes left. */
export interface LeaseWorker {
  /** Looks for documents at once, without waiting for the next interval. */
  wake(): void;
  /** Stops the work on a document if this process does it. */
  abandon(id: string): void;
  start(): void;
  /** Releases unfinished documents, so that others can acquire them at once. */
  stop(): Promise<void>;
}

/** The options of a worker. Times are in milliseconds. `owner` is unique among all workers that have ever used the database. */
export interface LeaseWorkerOptions<Record extends LeasedRecord> {
  readonly owner: string;
  /** What the documents are called in logs, in the singular: "execution". */
  readonly noun: string;
  /** Whether no other process uses the database any more. The leases of other workers are then released at once. */
  readonly exclusive: boolean;
  readonly store: LeasedStore<Record>;
  /** Whether a document has work left. */
  readonly isUnfinished: (record: Record) => boolean;
  /** Works on a document whose lease is held, until there is no more work, the lease is lost or the signal is aborted. */
  readonly run: (record: Record, signal: AbortSignal) => Promise<void>;
  /** Work that precedes each search for documents, such as ending those that do not progress. */
  readonly prepare: (worker: Pick<LeaseWorker, "abandon">) => Promise<void>;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
  readonly now: () => number;
  /** The maximum number of documents that this process works on at once. */
  readonly maxRunning: number;
  readonly leaseMs: number;
  readonly heartbeatIntervalMs: number;
  readonly sweepIntervalMs: number;
}

interface Running<Record> {
  readonly record: Record;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Creates the worker of one process. */
export function createLeaseWorker<Record extends LeasedRecord>(options: LeaseWorkerOptions<Record>): LeaseWorker {
  const { owner, noun, exclusive, store, isUnfinished, run, prepare, logger, now } = options;
  const running = new Map<string, Running<Record>>();
  let stopping = false;
  let othersReleased = !exclusive;
  const idKey = `${noun}Id`;
  const getLeaseEnd = () => new Date(now() + options.leaseMs);

  function startRun(record: Record): void {
    const { _id, lease } = record;
    logger.info({ [idKey]: _id, fence: lease.fence }, `${noun} acquired`);
    const stop = new AbortController();
    const done = run(record, stop.signal)
      // The lease expires, and then a worker acquires the document again.
      .catch((error: unknown) => logger.error({ [idKey]: _id, err: error }, `${noun} interrupted`))
      .finally(() => {
        running.delete(_id);
        sweeper.touch();
      });
    running.set(_id, { record, stop, done });
    heartbeat.touch();
  }

  async function sweep(): Promise<void> {
    if (stopping) return;
    if (!othersReleased) await store.releaseOthers(owner);
    othersReleased = true;
    await store.releaseFuture(new Date(now()));
    await prepare({ abandon });
    const freeSlots = options.maxRunning - running.size;
    if (freeSlots <= 0) return;
    // The leases of this process may have expired too, if the whole process was paused.
    for (const { _id } of await store.listDue(new Date(now()), freeSlots + running.size)) {
      if (running.has(_id) || running.size >= options.maxRunning || stopping) continue;
      const acquired = await store.acquire(_id, owner, new Date(now()), getLeaseEnd());
      if (acquired !== null) startRun(acquired);
    }
  }

  const sweeper = createLeaseSweep({
    intervalMs: options.sweepIntervalMs,
    leaseMs: options.leaseMs,
    exclusive,
    leases: store,
    work: sweep,
    onError: (error) => logger.error({ err: error }, `sweep of ${noun}s failed`),
    now,
  });

  /** Renews the leases, and abandons documents that have ended or that another worker has acquired. */
  const heartbeat = createSweep({
    intervalMs: options.heartbeatIntervalMs,
    idles: () => true,
    async work() {
      const ids = [...running.keys()];
      if (ids.length === 0) return;
      heartbeat.touch();
      await store.renewLeases(ids, owner, new Date(now()), getLeaseEnd());
      const current = new Map((await store.listByIds(ids)).map((record) => [record._id, record]));
      for (const id of ids) {
        const found = current.get(id);
        const isOwn = found?.lease.owner === owner && found.lease.fence === running.get(id)?.record.lease.fence;
        if (!isOwn || !isUnfinished(found)) abandon(id);
      }
    },
    onError: (error) => logger.error({ err: error }, "renewal of leases failed"),
  });

  function abandon(id: string): void {
    running.get(id)?.stop.abort(new Error(`this worker no longer holds the ${noun}`));
  }

  return {
    wake: () => void sweeper.now(),
    abandon,
    start() {
      sweeper.start();
      heartbeat.start();
      void sweeper.now();
    },
    async stop() {
      stopping = true;
      await sweeper.stop();
      await heartbeat.stop();
      const left = [...running.values()];
      for (const { stop } of left) stop.abort(new Error("the service is stopping"));
      await Promise.all(left.map(({ done }) => done));
      for (const { record } of left) await store.release(record._id, record.lease);
    },
  };
}
