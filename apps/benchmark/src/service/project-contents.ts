import type { ProjectContents } from "@switchyard/change-feed";
import type { ExecutionStore } from "../store/executions.ts";
import type { Worker } from "./runs/worker.ts";

/** Removes the executions of deleted projects, including running ones. The worker removes their results. */
export function createProjectContents({
  executions,
  worker,
}: {
  executions: ExecutionStore;
  worker: Pick<Worker, "wake" | "abandon">;
}): ProjectContents {
  return {
    async removeProject({ projectId }) {
      for (const id of await executions.listIdsOfProject(projectId)) {
        await executions.remove(id, { evenRunning: true });
        worker.abandon(id);
      }
      worker.wake();
    },
  };
}
