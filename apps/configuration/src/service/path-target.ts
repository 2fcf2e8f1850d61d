import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid, notFound } from "@switchyard/rpc";
import type { DeploymentDocument, ModelDocument, SchemaDocument } from "../store/configuration-documents.ts";
import type { ConfigurationStore } from "../store/configuration-store.ts";
import { requireReach } from "./project-access.ts";

/** What an id on a path names: a model, a deployment or an extraction schema; the last two with their model. */
export type PathTarget =
  | { readonly kind: "model"; readonly model: ModelDocument }
  | { readonly kind: "deployment"; readonly model: ModelDocument; readonly deployment: DeploymentDocument }
  | { readonly kind: "schema"; readonly model: ModelDocument; readonly schema: SchemaDocument };

/**
 * What the id on the path names. Throws NotFound for nothing or something of another organization, PermissionDenied for something
 * in a project out of the caller's reach.
 */
export async function targetOnPath(store: ConfigurationStore, caller: Caller, id: string): Promise<PathTarget> {
  const target = await requireTarget(store, caller, id);
  requireReach(caller, target.model.projectId);
  return target;
}

/**
 * The model or deployment that the id on the path names, for a verb that does not take schemas: one of those does not exist there.
 * Throws as `targetOnPath` does.
 */
export async function modelOrDeploymentOnPath(
  store: ConfigurationStore,
  caller: Caller,
  id: string,
): Promise<Exclude<PathTarget, { kind: "schema" }>> {
  const target = await requireTarget(store, caller, id);
  if (target.kind === "schema") throw notFound("deployment", id, "deploymentId");
  requireReach(caller, target.model.projectId);
  return target;
}

async function requireTarget(store: ConfigurationStore, caller: Caller, id: string): Promise<PathTarget> {
  if (id === "") throw invalid([{ field: "deploymentId", message: "is required" }]);
  const target = await findTarget(store, id);
  if (target === undefined || target.model.organizationId !== caller.organizationId) {
    throw notFound("deployment", id, "deploymentId");
  }
  return target;
}

async function findTarget(store: ConfigurationStore, id: string): Promise<PathTarget | undefined> {
  const [model, deployment, schema] = await Promise.all([store.model(id), store.deployment(id), store.schema(id)]);
  if (model !== null) return { kind: "model", model };
  if (deployment !== null) {
    const owner = await store.model(deployment.modelId);
    return owner === null ? undefined : { kind: "deployment", model: owner, deployment };
  }
  if (schema === null) return undefined;
  const owner = await store.model(schema.modelId);
  return owner === null ? undefined : { kind: "schema", model: owner, schema };
}
