import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Metrics } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { notFound } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { createSummary } from "../../domain/summary/summary.ts";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import type { ResultStore } from "../../store/results.ts";
import { toPlan } from "../executions/plan.ts";
import { toMetricsMessage } from "./metrics-message.ts";

/** The maximum number of ended executions whose metrics are cached. */
const maxCachedMetrics = 20;

/** Reads the metrics of an execution, over the files that are finished. Throws NOT_FOUND if it was deleted meanwhile. */
export type MetricsReader = (execution: Pick<ExecutionRecord, "_id" | "status">) => Promise<Metrics>;

/** Creates the reader of metrics. */
export function createMetricsReader({
  executions,
  results,
}: {
  executions: Pick<ExecutionStore, "findPlan" | "listFinished">;
  results: Pick<ResultStore, "readScores">;
}): MetricsReader {
  const cachedMetrics = new LRUCache<string, Metrics>({ max: maxCachedMetrics });

  /** Computes the metrics of the finished files. It reads one result after the other, so that memory does not grow with their number. */
  async function computeMetrics(executionId: string): Promise<Metrics> {
    const plan = await executions.findPlan(executionId);
    if (plan === null) throw notFound("execution", executionId, "executionId");
    const summary = createSummary(toPlan(plan).configuration);
    const entries = await executions.listFinished(executionId);
    for await (const score of results.readScores(executionId, entries)) summary.add(score);
    return toMetricsMessage(summary.metrics());
  }

  return async ({ _id, status }) => {
    if (status === ExecutionStatus.RUNNING) return computeMetrics(_id);
    // The metrics of an execution that has ended never change.
    const cached = cachedMetrics.get(_id);
    if (cached !== undefined) return cached;
    const metrics = await computeMetrics(_id);
    cachedMetrics.set(_id, metrics);
    return metrics;
  };
}

/** Returns the metrics of no files: all tables and columns of a configuration, without figures. */
export function createEmptyMetrics(configuration: Configuration): Metrics {
  return toMetricsMessage(createSummary(configuration, { replicates: 0 }).metrics());
}
