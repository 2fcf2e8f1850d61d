import type { Comparison } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { invalid } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import { createComparison } from "../../domain/comparison/comparison.ts";
import { diffConfigurations } from "../../domain/comparison/configuration-changes.ts";
import { pairColumns } from "../../domain/comparison/shared-columns.ts";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import { toComparisonMessage } from "./comparison-message.ts";
import { loadCompared, readShared } from "./shared-results.ts";
import type { ComparedStores } from "./shared-results.ts";

/** The margin that is used if none is given: one point. */
export const defaultMargin = 0.01;
/** The maximum number of cells in each list of a comparison. */
const maxCells = 1_000;
/** The maximum number of comparisons that are cached. */
const maxCached = 50;

/** Compares two executions that have ended. Rejects if they share no file, or if the signal is aborted. */
export type Comparer = (
  baseline: ExecutionRecord,
  candidate: ExecutionRecord,
  margin: number,
  signal: AbortSignal,
) => Promise<Comparison>;

/** Creates the function that compares executions: one pair after the other, because it is mostly computation. */
export function createComparer(stores: ComparedStores): Comparer {
  // The results of executions that have ended never change.
  const cached = new LRUCache<string, Comparison>({ max: maxCached });
  const queue = new PQueue({ concurrency: 1 });

  async function compare(
    baseline: ExecutionRecord,
    candidate: ExecutionRecord,
    margin: number,
    signal: AbortSignal,
  ): Promise<Comparison> {
    const [before, after] = await Promise.all([
      loadCompared(stores, baseline._id, "baseline"),
      loadCompared(stores, candidate._id, "executionId"),
    ]);
    const changes = diffConfigurations(before.plan.configuration, after.plan.configuration);
    const [one, other] = [baseline.engine, candidate.engine];
    const sameEngine = one.name === other.name && one.version === other.version && one.modelName === other.modelName;
    const sameSystem = changes.parts.length === 0 && sameEngine;
    const shared = pairColumns(before.plan.configuration, after.plan.configuration);
    const comparison = createComparison(shared, { margin, sameSystem, maxCells });
    for await (const { fileId, baseline: old, candidate: now } of readShared(stores, before, after)) {
      signal.throwIfAborted();
      comparison.add(fileId, old, now);
    }
    const steps = comparison.compute();
    let step = steps.next();
    while (step.done !== true) {
      // Other requests are served between the steps.
      await nextTurn();
      signal.throwIfAborted();
      step = steps.next();
    }
    return toComparisonMessage(baseline, candidate, changes, step.value);
  }

  return async (baseline, candidate, margin, signal) => {
    const key = `${baseline._id} ${candidate._id} ${String(margin)}`;
    const comparison =
      cached.get(key) ??
      (await queue.add(async () => cached.get(key) ?? (await compare(baseline, candidate, margin, signal)), {
        signal,
      }));
    cached.set(key, comparison);
    if (comparison.filesCompared === 0) {
      const message = "shares no file that both executions scored with the same accepted values";
      throw invalid([{ field: "baseline", message }], "NOTHING_TO_COMPARE");
    }
    return comparison;
  };
}
