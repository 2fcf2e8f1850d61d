import type { ExecutionSummary, Metrics } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { firstRequests } from "../../../api/first-requests.ts";

/**
 * Requests again the metrics that were requested while their run was in progress, if it has completed since: they lack its last files.
 * `metrics` are those of the runs, in the same order.
 */
export function useLateMetrics(
  runs: readonly Pick<ExecutionSummary, "id" | "status" | "fileCount">[],
  metrics: readonly (Metrics | undefined)[],
): void {
  const queries = useQueryClient();
  const early = runs.filter((run, index) => run.status === "COMPLETED" && lacksFiles(run.fileCount, metrics[index]));
  const ids = early.map(({ id }) => id).join();
  useEffect(() => {
    if (ids === "") return;
    for (const id of ids.split(",")) void queries.invalidateQueries({ queryKey: firstRequests.metrics(id) });
  }, [ids, queries]);
}

function lacksFiles(fileCount: number, metrics: Metrics | undefined): boolean {
  const files = metrics?.aggregated;
  return files !== null && files !== undefined && files.totalFiles + files.leftOutFiles < fileCount;
}
