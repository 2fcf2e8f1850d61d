import { unavailable } from "@switchyard/rpc";
import { createPool } from "@switchyard/threads";
import { SCORED_CHARACTERS } from "../domain/scoring/text-terms.ts";
import type { RouteScorers } from "./route-scorers.ts";
import type { ScoringAnswer, ScoringJob, ScoringSettings } from "./worker.ts";

/** `RouteScorers` in a thread of its own. Its methods throw Unavailable when the thread cannot answer; it may then have lost all. */
export type ScoringThread = {
  [Method in keyof RouteScorers]: (
    ...args: Parameters<RouteScorers[Method]>
  ) => Promise<Awaited<ReturnType<RouteScorers[Method]>>>;
} & {
  /** Ends the thread; what is under way is rejected. */
  close(): Promise<void>;
};

/** How much a thread may hold, in bytes; what the classifiers of a large organization need. */
const maxBytes = 256 * 1024 * 1024;
const timeoutMs = 20_000;

/** Creates the thread, which starts with the first document and does not keep the process alive while it is idle. */
export function createScoringThread(): ScoringThread {
  const pool = createPool<ScoringJob, ScoringAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: { maxBytes } satisfies ScoringSettings,
    // One thread, as each would have scorers of its own. No job takes long: routes are read some at a time.
    size: 1,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: Infinity,
    timeoutMs,
    // What is kept, what is used to make more of it, and garbage that is not collected yet.
    memoryMb: 1_024,
    startTimeoutMs: 30_000,
    maxWaitingJobs: 1_000,
  });

  async function run(job: ScoringJob): Promise<ScoringAnswer> {
    const outcome = await pool.run(job).catch((error: unknown) => ({ kind: "fault", error }) as const);
    if (outcome.kind === "answer") return outcome.answer;
    const cause = "error" in outcome ? outcome.error : new Error(`scoring was ended for want of ${outcome.kind}`);
    throw unavailable("SCORER_UNAVAILABLE", "The document cannot be scored at the moment.", cause);
  }

  return {
    lacking: (...args) => run({ method: "lacking", arguments: args }) as Promise<string[]>,
    read: (...args) => run({ method: "read", arguments: args }) as Promise<void>,
    assemble: (...args) => run({ method: "assemble", arguments: args }) as Promise<boolean>,
    // No more of a text is sent than is read.
    score: (scorer, text) =>
      run({ method: "score", arguments: [scorer, text.slice(0, SCORED_CHARACTERS)] }) as ReturnType<
        ScoringThread["score"]
      >,
    close: () => pool.close(),
  };
}
