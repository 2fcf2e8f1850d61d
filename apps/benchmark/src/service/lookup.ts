import { requireReach } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, notFound } from "@switchyard/rpc";
import type { ExecutionRecord } from "../store/execution-documents.ts";
import type { ExecutionStore } from "../store/executions.ts";

/** Finds an execution. Throws NOT_FOUND if the caller's organization has none with this ID, and PERMISSION_DENIED if its project is out of reach. */
export async function findExecution(
  executions: Pick<ExecutionStore, "find">,
  caller: Caller,
  executionId: string,
): Promise<ExecutionRecord> {
  if (executionId === "") throw invalid([{ field: "executionId", message: "is required" }]);
  const found = await executions.find(executionId);
  if (found === null || found.organizationId !== caller.organizationId) {
    throw notFound("execution", executionId, "executionId");
  }
  requireReach(caller, found.projectId);
  return found;
}
