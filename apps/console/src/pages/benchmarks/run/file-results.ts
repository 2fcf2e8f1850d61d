import type { FileResultSummary } from "@switchyard/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { firstRequests } from "../../../api/first-requests.ts";
import { useAllItems } from "../../../api/queries.ts";

/** All results of the files of a run, however many pages they take: the order that people want is not that of the API. */
export function useFileResults(executionId: string, isRunning: boolean): UseQueryResult<readonly FileResultSummary[]> {
  const settings = isRunning ? { repeatMs: 5_000 } : { isValid: "until a change" as const };
  return useAllItems(...firstRequests.fileResults(executionId), settings);
}
