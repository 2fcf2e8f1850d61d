import type { CallOptions, Client } from "@connectrpc/connect";
import type { TargetModel, TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, notFound } from "@switchyard/rpc";

/** What an id on a path names: a model, by whichever of its deployments and schemas. */
export interface ExtractionTarget {
  modelId: string;
  projectId: string;
  /** The deployment when the id was one. */
  deploymentId: string | null;
  /** What to extract with; null when the model has no schema. */
  schemaId: string | null;
}

/**
 * What a model, deployment or extraction schema id names: a model's current schema, the schema that a deployment serves, or that
 * schema itself. Throws NotFound for an id of none of them or of another organization.
 */
export async function resolveTarget(
  targets: Client<typeof TargetService>,
  caller: Caller,
  targetId: string,
  options: CallOptions,
): Promise<ExtractionTarget> {
  if (targetId === "") throw invalid([{ field: "deploymentId", message: "is required" }]);
  const named = await resolve(targets, { modelId: targetId, deploymentId: targetId }, options);
  const deployment = named?.deployment;
  const model =
    named?.model ??
    (deployment === undefined
      ? undefined
      : (await resolve(targets, { modelId: deployment.modelId, deploymentId: "" }, options))?.model);
  if (model === undefined || model.organizationId !== caller.organizationId) {
    throw notFound("deployment", targetId, "deploymentId");
  }
  const target = { modelId: model.id, projectId: model.projectId };
  if (deployment !== undefined) return { ...target, deploymentId: deployment.id, schemaId: deployment.schemaId };
  return { ...target, deploymentId: null, schemaId: getSchema(model, targetId) };
}

function getSchema(model: TargetModel, targetId: string): string | null {
  // A model that is found by another id than its own is found by one of its schemas.
  return model.id === targetId ? (model.schemaId ?? null) : targetId;
}

async function resolve(
  targets: Client<typeof TargetService>,
  reference: { modelId: string; deploymentId: string },
  options: CallOptions,
) {
  return (await targets.resolveTargets({ targets: [reference] }, options)).targets[0];
}
