import { lowerPriority } from "@switchyard/threads";
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { LabeledText } from "../domain/learning/labeled-text.ts";
import { learn, learnerVersion } from "../domain/learning/learner.ts";
import type { LearnedState } from "../domain/learning/learned-state.ts";
import { createRouteScorer } from "../domain/scoring/scorer.ts";
import type { RouteProfile } from "../domain/scoring/scorer.ts";

/** What is to be learned: the routes, and texts in order of their IDs. */
export interface LearningJob {
  readonly routes: readonly RouteProfile[];
  readonly texts: readonly LabeledText[];
}

/** What was learned, with a hash of what it was learned from and how. Undefined if there was nothing to learn. */
export interface Learned {
  readonly state: LearnedState | undefined;
  readonly hash: string;
}

function run({ routes, texts }: LearningJob): Learned {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([learnerVersion, routes]));
  for (const { id, routeId, text } of texts) hash.update(JSON.stringify([id, routeId, text]));
  const state = learn(texts, routes, createRouteScorer(routes));
  return { state, hash: hash.digest("hex").slice(0, 12) };
}

// Nobody waits for what is learned as they wait for a decision.
lowerPriority();
parentPort?.on("message", (job: LearningJob) => {
  const result = run(job);
  // The tables are moved, not copied: they can have several megabytes.
  parentPort?.postMessage({ result }, getBuffers(result.state));
});
parentPort?.postMessage({ ready: true });

function getBuffers(state: LearnedState | undefined): ArrayBuffer[] {
  return state === undefined ? [] : [state.weights, state.centroids].map(({ buffer }) => buffer as ArrayBuffer);
}
