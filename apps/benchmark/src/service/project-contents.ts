import type { ProjectContents } from "@switchyard/change-feed";
import type { ExecutionStore } from "../store/executions.ts";
import type { Worker } from "./runs/worker.ts";

/** What this service keeps of a project: its executions, running ones too, with their results, which the worker removes. */
export function createProjectContents({
  executions,
  worker,
}: {
  executions: ExecutionStore;
  worker: Pick<Worker, "nudge" | "drop">;
}): ProjectContents {
  return {
    async removeProject({ projectId }) {
      for (const id of await executions.ofProject(projectId)) {
        await executions.remove(id, { evenRunning: true });
        worker.drop(id);
      }
      worker.nudge();
    },
  };
}
