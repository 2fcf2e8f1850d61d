import type { ExecutionSummary } from "@switchyard/client";
import { useQueries } from "@tanstack/react-query";
import { firstRequests } from "../../../api/first-requests.ts";
import { useSession } from "../../../session/session.ts";
import { useLateMetrics } from "../run/late-metrics.ts";

/** What the list shows of a run that its entry does not contain. */
export interface RunFigures {
  readonly version: number | undefined;
  readonly accuracy: number | null | undefined;
}

/** The figures of runs, in their order. Those of a run that has ended never change, so they are requested once. */
export function useRunFigures(runs: readonly ExecutionSummary[]): readonly RunFigures[] {
  const { client } = useSession();
  const settings = (run: ExecutionSummary): { staleTime: number } => ({
    staleTime: run.status === "RUNNING" ? 0 : Infinity,
  });
  const executions = useQueries({
    queries: runs.map((run) => ({
      queryKey: firstRequests.run(run.id),
      queryFn: ({ signal }: { signal: AbortSignal }) => client.getExecution({ executionId: run.id }, { signal }),
      ...settings(run),
    })),
  });
  const metrics = useQueries({
    queries: runs.map((run) => ({
      queryKey: firstRequests.metrics(run.id),
      queryFn: ({ signal }: { signal: AbortSignal }) => client.getMetrics({ executionId: run.id }, { signal }),
      ...settings(run),
    })),
  });
  useLateMetrics(
    runs,
    metrics.map(({ data }) => data),
  );
  return runs.map((_, index) => ({
    version: executions[index]?.data?.configuration?.version,
    accuracy: metrics[index]?.data?.aggregated?.successRate,
  }));
}
