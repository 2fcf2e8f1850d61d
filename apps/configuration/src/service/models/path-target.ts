import { requireReach } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, notFound } from "@switchyard/rpc";
import type { DeploymentDocument, ModelDocument, SchemaDocument } from "../../store/configuration-documents.ts";
import type { ModelRecords } from "../../store/model-records.ts";

/** The target of an id in a path: a model, or a deployment or an extraction schema with its model. */
export type PathTarget =
  | { readonly kind: "model"; readonly model: ModelDocument }
  | { readonly kind: "deployment"; readonly model: ModelDocument; readonly deployment: DeploymentDocument }
  | { readonly kind: "schema"; readonly model: ModelDocument; readonly schema: SchemaDocument };

/** The source in which ids are looked up: the store, or the records of a transaction. */
export type TargetSource = Pick<ModelRecords, "model" | "schema" | "deployment">;

/**
 * Finds the target of the id in the path. Throws NotFound if it does not exist or belongs to another organization, and PermissionDenied if
 * its project is out of the caller's reach.
 */
export async function targetOnPath(source: TargetSource, caller: Caller, id: string): Promise<PathTarget> {
  const target = await requireTarget(source, caller, id);
  requireReach(caller, target.model.projectId);
  return target;
}

/** Finds the model or deployment of the id in the path. A schema is NotFound here. Otherwise throws like `targetOnPath`. */
export async function modelOrDeploymentOnPath(
  source: TargetSource,
  caller: Caller,
  id: string,
): Promise<Exclude<PathTarget, { kind: "schema" }>> {
  const target = await requireTarget(source, caller, id);
  if (target.kind === "schema") throw notFound("deployment", id, "deploymentId");
  requireReach(caller, target.model.projectId);
  return target;
}

async function requireTarget(source: TargetSource, caller: Caller, id: string): Promise<PathTarget> {
  if (id === "") throw invalid([{ field: "deploymentId", message: "is required" }]);
  const target = await findTarget(source, id);
  if (target === undefined || target.model.organizationId !== caller.organizationId) {
    throw notFound("deployment", id, "deploymentId");
  }
  return target;
}

async function findTarget(source: TargetSource, id: string): Promise<PathTarget | undefined> {
  // A transaction cannot run two operations at once.
  const model = await source.model(id);
  if (model !== null) return { kind: "model", model };
  const deployment = await source.deployment(id);
  const schema = deployment === null ? await source.schema(id) : null;
  const named = deployment ?? schema;
  const owner = named === null ? null : await source.model(named.modelId);
  if (owner === null) return undefined;
  if (deployment !== null) return { kind: "deployment", model: owner, deployment };
  return schema === null ? undefined : { kind: "schema", model: owner, schema };
}
