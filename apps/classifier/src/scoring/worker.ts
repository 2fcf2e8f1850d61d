import { parentPort, workerData } from "node:worker_threads";
import { createRouteScorers } from "./route-scorers.ts";
import type { RouteScorers } from "./route-scorers.ts";

/** A call of one of the methods of `RouteScorers`. */
export type ScoringJob = {
  [Method in keyof RouteScorers]: { method: Method; arguments: Parameters<RouteScorers[Method]> };
}[keyof RouteScorers];

/** The settings that the thread is started with. */
export interface ScoringSettings {
  maxBytes: number;
}

/** The result of a job. */
export type ScoringResult = ReturnType<RouteScorers[keyof RouteScorers]>;

const scorers = createRouteScorers((workerData as ScoringSettings).maxBytes);

function score(job: ScoringJob): ScoringResult {
  switch (job.method) {
    case "findMissing":
      return scorers.findMissing(...job.arguments);
    case "read":
      return scorers.read(...job.arguments);
    case "assemble":
      return scorers.assemble(...job.arguments);
    case "score":
      return scorers.score(...job.arguments);
    case "addLearned":
      return scorers.addLearned(...job.arguments);
    case "removeLearned":
      return scorers.removeLearned(...job.arguments);
    case "scoreLearned":
      return scorers.scoreLearned(...job.arguments);
  }
}

parentPort?.on("message", (job: ScoringJob) => parentPort?.postMessage({ result: score(job) }));
parentPort?.postMessage({ ready: true });
