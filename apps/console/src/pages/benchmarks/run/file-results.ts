import type { FileResultSummary } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useSession } from "../../../session/session.ts";

/** All results of the files of a run, however many pages they take: the order that people want is not that of the API. */
export function useFileResults(executionId: string, isRunning: boolean): UseQueryResult<readonly FileResultSummary[]> {
  const { client } = useSession();
  return useQuery({
    queryKey: ["listFileResults", { executionId }, "all"],
    queryFn: async ({ signal }) => {
      const results: FileResultSummary[] = [];
      for await (const result of client.all("listFileResults", { executionId, limit: 500 }, { signal }))
        results.push(result);
      return results;
    },
    refetchInterval: isRunning && 5_000,
    staleTime: isRunning ? 0 : Infinity,
  });
}
