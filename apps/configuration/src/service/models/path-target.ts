import { requireReach } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, notFound } from "@switchyard/rpc";
import type { DeploymentDocument, ModelDocument, SchemaDocument } from "../../store/configuration-documents.ts";
import type { ModelRecords } from "../../store/model-records.ts";

/** What an id on a path names: a model, a deployment or an extraction schema; the last two with their model. */
export type PathTarget =
  | { readonly kind: "model"; readonly model: ModelDocument }
  | { readonly kind: "deployment"; readonly model: ModelDocument; readonly deployment: DeploymentDocument }
  | { readonly kind: "schema"; readonly model: ModelDocument; readonly schema: SchemaDocument };

/** Where what an id names is looked up: the store, or the records of a transaction. */
export type TargetSource = Pick<ModelRecords, "model" | "schema" | "deployment">;

/**
 * What the id on the path names. Throws NotFound for nothing or something of another organization, PermissionDenied for something
 * in a project out of the caller's reach.
 */
export async function targetOnPath(source: TargetSource, caller: Caller, id: string): Promise<PathTarget> {
  const target = await requireTarget(source, caller, id);
  requireReach(caller, target.model.projectId);
  return target;
}

/**
 * The model or deployment that the id on the path names, for a verb that does not take schemas: one of those does not exist there.
 * Throws as `targetOnPath` does.
 */
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
  // One after the other: a transaction takes no two at once.
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
