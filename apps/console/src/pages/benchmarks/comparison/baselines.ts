import type { ExecutionSummary } from "@switchyard/client";

/** The runs that a run can be compared with, newest first, and the one that is compared without a choice. */
export interface Baselines {
  readonly choices: readonly ExecutionSummary[];
  readonly preset: ExecutionSummary | undefined;
}

/**
 * Finds the baselines of a run among those of its project, newest first: other runs of the model that have ended. The preset is the one
 * before it.
 */
export function findBaselines(
  runs: readonly ExecutionSummary[],
  { id, deploymentId }: Pick<ExecutionSummary, "id" | "deploymentId">,
): Baselines {
  const ofModel = runs.filter((run) => run.deploymentId === deploymentId);
  const isChoice = (run: ExecutionSummary): boolean => run.id !== id && run.status !== "RUNNING";
  const earlier = ofModel.slice(ofModel.findIndex((run) => run.id === id) + 1);
  return {
    choices: ofModel.filter(isChoice),
    preset: earlier.find(({ status }) => status === "COMPLETED"),
  };
}
