import type { ProjectContents } from "@switchyard/change-feed";
import type { ExecutionStore } from "../store/executions.ts";
import type { ReviewPolicyStore } from "../store/review-policies.ts";
import type { Worker } from "./runs/worker.ts";

/** Removes the review policies and executions of deleted projects, including running ones. The worker removes their results. */
export function createProjectContents({
  executions,
  reviewPolicies,
  worker,
}: {
  executions: ExecutionStore;
  reviewPolicies: Pick<ReviewPolicyStore, "removeProject">;
  worker: Pick<Worker, "wake" | "abandon">;
}): ProjectContents {
  return {
    async removeProject({ projectId }) {
      await reviewPolicies.removeProject(projectId);
      for (const id of await executions.listIdsOfProject(projectId)) {
        await executions.remove(id, { evenRunning: true });
        worker.abandon(id);
      }
      worker.wake();
    },
  };
}
