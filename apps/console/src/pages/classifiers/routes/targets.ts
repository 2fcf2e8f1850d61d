import type { Classifier, Model, Route } from "@switchyard/client";

/** Why a route to a target would be refused. */
export type Refusal =
  | { readonly code: "MODEL_OF_ANOTHER_PROJECT" | "MODEL_HAS_NO_SCHEMA" }
  | { readonly code: "ROUTE_EXISTS"; readonly routeName: string };

/** A model, or a deployment of it, that a route could lead to. */
export interface Target {
  /** An ID among the targets. */
  readonly key: string;
  readonly deploymentId: string;
  readonly targetDeploymentId: string | null;
  readonly modelName: string;
  /** The name of the deployment; undefined for the model itself. */
  readonly deploymentName: string | undefined;
  /** Whether it is paused, or its model is, so that a route to it would be out. */
  readonly isPaused: boolean;
  /** Why the server would refuse it; undefined if it would not. */
  readonly refusal: Refusal | undefined;
}

/**
 * Lists the models of a project and their deployments as targets of a route, each with the first reason for which the server would refuse
 * it, in the order of the server's checks. A route that is being edited does not conflict with itself.
 */
export function listTargets(
  models: readonly Model[],
  { projectId, deploymentRoutes }: Pick<Classifier, "projectId" | "deploymentRoutes">,
  editedRouteId?: string,
): Target[] {
  const others = deploymentRoutes.filter(({ id }) => id !== editedRouteId);
  return models.flatMap((model) => {
    const target = (deployment?: Model["deployments"][number]): Target => {
      const targetDeploymentId = deployment?.id ?? null;
      return {
        key: createKey(model.id, targetDeploymentId),
        deploymentId: model.id,
        targetDeploymentId,
        modelName: model.name,
        deploymentName: deployment?.name,
        isPaused: model.status === "PAUSED" || deployment?.status === "PAUSED",
        refusal: findRefusal(model, targetDeploymentId, projectId, others),
      };
    };
    return [target(), ...model.deployments.map(target)];
  });
}

/** Returns the key of a target. */
export function createKey(deploymentId: string, targetDeploymentId: string | null): string {
  return `${deploymentId} ${targetDeploymentId ?? ""}`;
}

function findRefusal(
  model: Model,
  targetDeploymentId: string | null,
  projectId: string | null,
  others: readonly Route[],
): Refusal | undefined {
  if (projectId !== null && model.projectId !== projectId) return { code: "MODEL_OF_ANOTHER_PROJECT" };
  if (model.extractionSchemaId === null) return { code: "MODEL_HAS_NO_SCHEMA" };
  const same = others.find(
    (route) => route.deploymentId === model.id && route.targetDeploymentId === targetDeploymentId,
  );
  return same && { code: "ROUTE_EXISTS", routeName: same.name };
}
