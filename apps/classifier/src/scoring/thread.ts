import { unavailable } from "@switchyard/rpc";
import { createPool } from "@switchyard/threads";
import { MAX_LEARNED_CHARACTERS } from "../domain/learning/labeled-text.ts";
import { MAX_SCORED_CHARACTERS } from "../domain/scoring/text-terms.ts";
import type { RouteScorers } from "./route-scorers.ts";
import type { ScoringResult, ScoringJob, ScoringSettings } from "./worker.ts";

/** {@link RouteScorers} in a worker thread. Its methods throw UNAVAILABLE if the thread fails. The cache may then be empty. */
export type ScoringThread = {
  [Method in keyof RouteScorers]: (
    ...args: Parameters<RouteScorers[Method]>
  ) => Promise<Awaited<ReturnType<RouteScorers[Method]>>>;
} & {
  /** Ends the thread. Pending calls are rejected. */
  close(): Promise<void>;
};

/** The size of the cache, which is sufficient for the classifiers of a large organization. */
const maxCacheBytes = 256 * 1024 * 1024;
const timeoutMs = 20_000;

/** Creates the thread. It starts with the first call, and does not keep the process alive while it is idle. */
export function createScoringThread(): ScoringThread {
  const pool = createPool<ScoringJob, ScoringResult>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: { maxBytes: maxCacheBytes } satisfies ScoringSettings,
    // One thread, because each would have a cache of its own. No job takes long, because routes are read in batches.
    size: 1,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: Infinity,
    timeoutMs,
    // For the cache, the work on new entries, and garbage that is not collected yet.
    memoryMb: 1_024,
    startTimeoutMs: 30_000,
    maxWaitingJobs: 1_000,
  });

  async function run(job: ScoringJob, moved: ArrayBuffer[] = []): Promise<ScoringResult> {
    const outcome = await pool.run(job, moved).catch((error: unknown) => ({ kind: "failure", error }) as const);
    if (outcome.kind === "result") return outcome.result;
    const cause = "error" in outcome ? outcome.error : new Error(`scoring exceeded its limit of ${outcome.kind}`);
    throw unavailable("SCORER_UNAVAILABLE", "The document cannot be scored at the moment.", cause);
  }

  return {
    findMissing: (...args) => run({ method: "findMissing", arguments: args }) as Promise<string[]>,
    read: (...args) => run({ method: "read", arguments: args }) as Promise<void>,
    assemble: (...args) => run({ method: "assemble", arguments: args }) as Promise<boolean>,
    // Only the part of the text that is scored is sent to the thread.
    score: (scorer, text, explain) =>
      run({ method: "score", arguments: [scorer, text.slice(0, MAX_SCORED_CHARACTERS), explain] }) as ReturnType<
        ScoringThread["score"]
      >,
    // The tables of what was learned are moved to the thread.
    addLearned: (key, state) =>
      run(
        { method: "addLearned", arguments: [key, state] },
        [state.weights, state.centroids].map(({ buffer }) => buffer as ArrayBuffer),
      ) as Promise<void>,
    removeLearned: (...args) => run({ method: "removeLearned", arguments: args }) as Promise<void>,
    scoreLearned: (scorer, learned, text, explain) =>
      run({
        method: "scoreLearned",
        arguments: [scorer, learned, text.slice(0, MAX_LEARNED_CHARACTERS), explain],
      }) as ReturnType<ScoringThread["scoreLearned"]>,
    close: () => pool.close(),
  };
}
