import { createLeaseSweep, createUnheldLease } from "@switchyard/storage";
import type { Lease } from "@switchyard/storage";
import type { Logger } from "@switchyard/rpc";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractionRecord, ExtractionStore, Failure, Outcome } from "../../store/extractions.ts";
import type { FileRecord } from "../../store/files.ts";
import type { AttemptOptions } from "./attempt.ts";
import type { AttemptResult } from "../engines/extraction.ts";
import { deferStore } from "./new-extraction.ts";
import type { EndedExtraction, FirstRun, NewExtraction } from "./new-extraction.ts";
import type { Complete } from "../values/completion.ts";
import type { ServiceSettings } from "../settings.ts";

/** Runs the extractions of this process, and those that other processes left unfinished. */
export interface Runner {
  /**
   * Returns the lease and the number of attempts of a new extraction. The lease is held by this runner if it starts the extraction at once,
   * and is free otherwise.
   */
  firstLease(): { lease: Lease; attempts: number };
  /**
   * Makes one attempt at an extraction whose lease this runner holds. `file` is its file if the caller has just read it. Resolves when the
   * attempt has ended: with the extraction if it has ended too, and with undefined if it will be attempted again or another runner holds it.
   */
  run(extraction: ExtractionRecord, file?: FileRecord): Promise<EndedExtraction | undefined>;
  /**
   * Makes the first attempt at a new extraction, which has a lease of this runner. If the attempt soon has values, the extraction is stored
   * together with them, which takes one flush instead of two. Otherwise, it is stored while the attempt continues. Further calls with the
   * same ID return the same attempt.
   */
  runNew(extraction: NewExtraction): FirstRun;
  /**
   * Resolves when an extraction is stored whose first attempt this runner makes, or when the attempt has ended because that failed. Resolves
   * at once for any other extraction, and never rejects.
   */
  settleStore(id: string): Promise<void>;
  /** Looks for unfinished extractions of other processes, and starts them. */
  sweep(): Promise<void>;
  start(): void;
  /** Releases unfinished extractions, so that others can acquire them at once. */
  stop(): Promise<void>;
}

/** The dependencies of the runner. `owner` is unique among all runners of the database, including past ones. */
export interface RunnerDependencies {
  owner: string;
  /** Whether all other runners of the database have ended. Their leases are then free at once. */
  exclusive?: boolean;
  extractions: ExtractionStore;
  /** Ends an extraction. Returns false, and writes nothing, if its lease is no longer held. By default, it only writes the extraction. */
  complete?: Complete;
  attempt: (extraction: ExtractionRecord, options: AttemptOptions) => Promise<AttemptEnd>;
  logger: Pick<Logger, "warn" | "error">;
  now: () => number;
  settings: Pick<
    ServiceSettings,
    | "leaseMs"
    | "heartbeatIntervalMs"
    | "sweepIntervalMs"
    | "maxAttempts"
    | "retryMs"
    | "busyRetryMs"
    | "parallel"
    | "queueLength"
    | "storeAfterMs"
  >;
}

/** The end of an attempt. It is busy if nothing was attempted, because too many wait for a language model. */
type AttemptEnd = AttemptResult | { busy: Failure };

/** What an attempt needs besides its extraction. */
type AttemptInput = Pick<AttemptOptions, "file" | "signal">;

/** Creates the runner of one process. */
export function createRunner(dependencies: RunnerDependencies): Runner {
  const { owner, exclusive = false, extractions, attempt, logger, now, settings } = dependencies;
  const complete: Complete =
    dependencies.complete ?? ((extraction, outcome, at) => extractions.finish({ extraction, outcome, at }));
  /** The extractions whose leases this runner holds, running or waiting. */
  const held = new Set<string>();
  const runs = new Set<Promise<unknown>>();
  const firstRuns = new Map<string, FirstRun>();
  const waiting: (() => void)[] = [];
  const stopping = new AbortController();
  let running = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  let othersReleased = !exclusive;

  const getLeaseEnd = () => new Date(now() + settings.leaseMs);

  async function finish(extraction: ExtractionRecord, outcome: Outcome): Promise<EndedExtraction | undefined> {
    const { _id, lease } = extraction;
    const completedAt = new Date(now());
    if (!(await complete(extraction, outcome, completedAt))) {
      logger.warn({ extractionId: _id, fence: lease.fence }, "result rejected: another process holds the lease");
      return undefined;
    }
    return toEnded(extraction, outcome, completedAt);
  }

  async function conclude(extraction: ExtractionRecord, result: AttemptEnd): Promise<EndedExtraction | undefined> {
    if ("outcome" in result) return finish(extraction, result.outcome);
    const { _id, lease, attempts } = extraction;
    if ("busy" in result) {
      await extractions.release(_id, lease, { notBefore: new Date(now() + settings.busyRetryMs), counted: false });
      return undefined;
    }
    if (stopping.signal.aborted) {
      await releaseLease(_id, lease);
      return undefined;
    }
    logger.warn(
      { extractionId: _id, attempts, code: result.again.code, err: result.cause },
      "extraction attempt failed",
    );
    if (attempts >= settings.maxAttempts) return finish(extraction, { error: result.again });
    const pause = settings.retryMs * 2 ** (attempts - 1);
    await extractions.release(_id, lease, { notBefore: new Date(now() + pause), counted: true });
    return undefined;
  }

  /** A stopped attempt does not count. */
  async function releaseLease(id: string, lease: Lease): Promise<void> {
    await extractions.release(id, lease, { notBefore: new Date(now()), counted: false });
  }

  async function work(
    extraction: ExtractionRecord,
    { file, signal }: AttemptInput,
    end: (result: AttemptEnd) => Promise<EndedExtraction | undefined>,
  ): Promise<EndedExtraction | undefined> {
    if (running >= settings.parallel) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    let holdsSlot = true;
    const leaveSlot = (): void => {
      if (!holdsSlot) return;
      holdsSlot = false;
      running -= 1;
      waiting.shift()?.();
    };
    try {
      const result = await tryAttempt(extraction, { signal, file, leaveSlot });
      // The next one begins while this one is written, so that those that end together can be written together.
      leaveSlot();
      return await end(result);
    } catch (error) {
      // The lease expires, and another runner acquires it.
      logger.error({ extractionId: extraction._id, err: error }, "extraction could not be finished");
    } finally {
      leaveSlot();
    }
    return undefined;
  }

  async function tryAttempt(extraction: ExtractionRecord, options: AttemptOptions): Promise<AttemptEnd> {
    try {
      options.signal.throwIfAborted();
      return await attempt(extraction, options);
    } catch (error) {
      const message = "The extraction failed.";
      return { again: { code: "EXTRACTION_FAILED", message }, cause: error };
    }
  }

  const run: Runner["run"] = (extraction, file) =>
    hold(extraction, { file, signal: stopping.signal }, (result) => conclude(extraction, result));

  function runNew(extraction: NewExtraction): FirstRun {
    const { record, file } = extraction;
    const begun = firstRuns.get(record._id);
    if (begun !== undefined) return begun;
    const deferred = deferStore(extraction, settings.storeAfterMs);
    const signal = AbortSignal.any([stopping.signal, deferred.abandoned]);
    const ended = hold(record, { file, signal }, async (result) => {
      if (deferred.hasBegun() || !("outcome" in result) || "error" in result.outcome) {
        const running = await deferred.store();
        return running && conclude(running, result);
      }
      const { outcome } = result;
      const at = new Date(now());
      const completed = await deferred.store({ outcome, at });
      return completed && toEnded(completed, outcome, at);
    });
    const first = { stored: deferred.stored, ended };
    firstRuns.set(record._id, first);
    void ended.finally(() => firstRuns.delete(record._id));
    return first;
  }

  /** Works on an extraction whose lease this runner holds. */
  function hold(
    extraction: ExtractionRecord,
    input: AttemptInput,
    end: (result: AttemptEnd) => Promise<EndedExtraction | undefined>,
  ): Promise<EndedExtraction | undefined> {
    held.add(extraction._id);
    const done = work(extraction, input, end).finally(() => {
      held.delete(extraction._id);
      // Another attempt may be due after a pause.
      sweeper.touch();
    });
    runs.add(done);
    void done.finally(() => runs.delete(done));
    return done;
  }

  async function acquire(extraction: ExtractionRecord): Promise<void> {
    const time = new Date(now());
    const acquired = await extractions.acquire(extraction._id, owner, time, getLeaseEnd());
    if (acquired === null) return;
    if (acquired.attempts > settings.maxAttempts) {
      await extractions.finish({ extraction: acquired, outcome: { error: lostFailure }, at: time });
    } else {
      void run(acquired);
    }
  }

  async function sweep(): Promise<void> {
    const freeSlots = settings.parallel + settings.queueLength - held.size;
    if (freeSlots <= 0 || stopping.signal.aborted) return;
    if (!othersReleased) await extractions.releaseOthers(owner);
    othersReleased = true;
    await extractions.releaseFuture(new Date(now()));
    // After a pause of the whole process, its own leases may have expired as well. They are still being worked on.
    const due = await extractions.listDue(new Date(now()), Math.min(freeSlots, 100) + held.size);
    for (const extraction of due.filter(({ _id }) => !held.has(_id))) await acquire(extraction);
  }

  const sweeper = createLeaseSweep({
    intervalMs: settings.sweepIntervalMs,
    leaseMs: settings.leaseMs,
    exclusive,
    leases: extractions,
    work: sweep,
    onError: (error) => logger.error({ err: error }, "sweep of extractions failed"),
    now,
  });

  async function renewLeases(): Promise<void> {
    if (held.size === 0) return;
    try {
      await extractions.renewLeases([...held], owner, new Date(now()), getLeaseEnd());
    } catch (error) {
      logger.error({ err: error }, "renewal of leases failed");
    }
  }

  return {
    firstLease() {
      const freeSlots = held.size < settings.parallel + settings.queueLength && !stopping.signal.aborted;
      return freeSlots
        ? { lease: { owner, since: new Date(now()), until: getLeaseEnd(), fence: 1 }, attempts: 1 }
        : { lease: createUnheldLease(), attempts: 0 };
    },
    run,
    runNew,
    async settleStore(id) {
      const first = firstRuns.get(id);
      await first?.stored.catch(() => first.ended);
    },
    sweep,
    start() {
      sweeper.start();
      if (exclusive) void sweeper.now();
      heartbeat = setInterval(() => void renewLeases(), settings.heartbeatIntervalMs);
      heartbeat.unref();
    },
    async stop() {
      stopping.abort();
      await sweeper.stop();
      await Promise.all(runs);
      clearInterval(heartbeat);
    },
  };
}

/** Returns an extraction as it is after its end. */
function toEnded(extraction: ExtractionRecord, outcome: Outcome, completedAt: Date): EndedExtraction {
  const ended = { ...extraction, completedAt, usage: outcome.usage };
  return "error" in outcome
    ? { record: { ...ended, status: ExtractionStatus.FAILED, error: outcome.error }, tables: null }
    : { record: { ...ended, status: ExtractionStatus.COMPLETED, engine: outcome.engine }, tables: outcome.tables };
}

/** The failure of an extraction whose worker disappeared in every attempt. */
const lostFailure: Failure = {
  code: "EXTRACTION_LOST",
  message: "The extraction was started several times and never finished.",
};
