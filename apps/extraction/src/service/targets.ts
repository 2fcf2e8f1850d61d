import { Code } from "@connectrpc/connect";
import type { CallOptions, Client } from "@connectrpc/connect";
import type { TargetModel, TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, invalid, notFound } from "@switchyard/rpc";

/** The target of an id in a path: a model, named by its own id or that of a deployment or schema. */
export interface ExtractionTarget {
  modelId: string;
  projectId: string;
  /** The deployment, if the id is that of a deployment. */
  deploymentId: string | null;
  /** The schema to extract with; null if the model has none. */
  schemaId: string | null;
}

/**
 * Resolves the id of a model, deployment or extraction schema to a target: with the current schema of the model, the schema that the
 * deployment serves, or the schema itself. Throws NotFound if it does not exist or belongs to another organization.
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

/** Throws NotFound unless an ID is that of an extraction schema of a model of the caller's organization. */
export async function resolveSchema(
  targets: Client<typeof TargetService>,
  caller: Caller,
  { schemaId, modelId }: { schemaId: string; modelId: string },
  options: CallOptions,
): Promise<void> {
  const model = (await resolve(targets, { modelId: schemaId, deploymentId: "" }, options))?.model;
  const isSchema = model?.id === modelId && schemaId !== modelId && model.organizationId === caller.organizationId;
  if (!isSchema) throw notFound("schema", schemaId, "extractionSchemaId");
}

function getSchema(model: TargetModel, targetId: string): string | null {
  // If a model is found by an id other than its own, the id is that of one of its schemas.
  return model.id === targetId ? (model.schemaId ?? null) : targetId;
}

async function resolve(
  targets: Client<typeof TargetService>,
  reference: { modelId: string; deploymentId: string },
  options: CallOptions,
) {
  return (await targets.resolveTargets({ targets: [reference] }, options)).targets[0];
}

/** Returns a schema by its ID; null if it was deleted. */
export async function findSchema(
  targets: Client<typeof TargetService>,
  schemaId: string,
  options: CallOptions = {},
): Promise<Configuration | null> {
  try {
    return await targets.getSchema({ schemaId }, options);
  } catch (error) {
    if (getProblemFacts(error).code === Code.NotFound) return null;
    throw error;
  }
}
