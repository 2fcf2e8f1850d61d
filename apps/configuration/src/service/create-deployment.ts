import type {
  CreateDeploymentRequest,
  Deployment,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { conflict, invalid, notFound } from "@switchyard/rpc";
import { isDuplicateKey, newId } from "@switchyard/storage";
import { foldName, faultsOfName } from "@switchyard/text";
import { nameIndexes } from "../store/configuration-documents.ts";
import type { ModelDocument } from "../store/configuration-documents.ts";
import { deploymentMessage } from "../store/configuration-messages.ts";
import type { ConfigurationStore } from "../store/configuration-store.ts";
import type { Dependencies } from "./dependencies.ts";
import { targetOnPath } from "./path-target.ts";
import { modelHasNoSchema, schemaOfModel } from "./schema-of-model.ts";

/** Creates a deployment of a model, serving the schema named, else the model's current one. */
export async function createDeployment(
  { configurations, now }: Dependencies,
  caller: Caller,
  request: CreateDeploymentRequest,
): Promise<Deployment> {
  const { model } = await targetOnPath(configurations, caller, request.targetId);
  const faults = faultsOfName("name", request.name);
  if (faults.length > 0) throw invalid(faults);
  const schemaId = await servedSchemaId(configurations, model, request.schemaId);
  const at = now();
  const deployment = {
    _id: newId("dep"),
    organizationId: model.organizationId,
    projectId: model.projectId,
    modelId: model._id,
    name: request.name.trim(),
    foldedName: foldName(request.name),
    status: "ACTIVE" as const,
    schemaId,
    createdBy: caller.userId,
    createdAt: at,
    updatedAt: at,
  };
  try {
    if (!(await configurations.createDeployment(deployment))) {
      throw notFound("deployment", request.targetId, "deploymentId");
    }
  } catch (error) {
    if (!isDuplicateKey(error, nameIndexes.deployment)) throw error;
    throw conflict("NAME_TAKEN", "Another deployment of the model has this name.");
  }
  return deploymentMessage(deployment);
}

async function servedSchemaId(
  configurations: ConfigurationStore,
  model: ModelDocument,
  wanted: string | undefined,
): Promise<string> {
  if (model.schemaId === null) throw modelHasNoSchema();
  if (wanted === undefined) return model.schemaId;
  return (await schemaOfModel(configurations, model, wanted, "extractionSchemaId"))._id;
}
