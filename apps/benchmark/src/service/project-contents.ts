import type { ExecutionStore } from "../store/executions.ts";
import type { Worker } from "./worker.ts";

/** What belongs to a project and goes with it. */
export interface ProjectContents {
  /** Removes the executions of a project with their results, running ones too. Idempotent. */
  removeProject(projectId: string): Promise<void>;
}

/** Creates the removal. The worker removes the results of what is gone. */
export function createProjectContents({
  executions,
  worker,
}: {
  executions: ExecutionStore;
  worker: Pick<Worker, "nudge" | "drop">;
}): ProjectContents {
  return {
    async removeProject(projectId) {
      for (const id of await executions.ofProject(projectId)) {
        await executions.remove(id, { evenRunning: true });
        worker.drop(id);
      }
      worker.nudge();
    },
  };
}
