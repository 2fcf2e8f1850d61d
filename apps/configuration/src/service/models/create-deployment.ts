import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type {
  CreateDeploymentRequest,
  Deployment,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { conflict, invalid, modelHasNoSchema } from "@switchyard/rpc";
import { isDuplicateKey, newId } from "@switchyard/storage";
import { foldName, validateName } from "@switchyard/text";
import { nameIndexes } from "../../store/configuration-documents.ts";
import type { ModelDocument } from "../../store/configuration-documents.ts";
import { deploymentMessage } from "../../store/configuration-messages.ts";
import type { ModelRecords } from "../../store/model-records.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { targetOnPath } from "./path-target.ts";
import { getModelSchema } from "./schema-of-model.ts";

/** Creates a deployment of a model. It serves the schema that the request names, or the current one. */
export async function createDeployment(
  { administer, now }: Dependencies,
  request: CreateDeploymentRequest,
  context: HandlerContext,
): Promise<Deployment> {
  const caller = getCaller(context);
  const at = now();
  try {
    return await administer(async (records) => {
      const { model } = await targetOnPath(records, caller, request.targetId);
      const violations = validateName("name", request.name);
      if (violations.length > 0) throw invalid(violations);
      const schemaId = await servedSchemaId(records, model, request.schemaId);
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
      await records.insertDeployment(deployment);
      const { name } = deployment;
      const changes = { name, deploymentId: model._id, extractionSchemaId: schemaId };
      await records.append(changeEntry(context, at, deployment._id, changes));
      return deploymentMessage(deployment);
    });
  } catch (error) {
    if (!isDuplicateKey(error, nameIndexes.deployment)) throw error;
    throw conflict("NAME_TAKEN", "Another deployment of the model has this name.");
  }
}

async function servedSchemaId(
  records: ModelRecords,
  model: ModelDocument,
  wanted: string | undefined,
): Promise<string> {
  if (model.schemaId === null) throw modelHasNoSchema();
  if (wanted === undefined) return model.schemaId;
  return (await getModelSchema(records, model, wanted, "extractionSchemaId"))._id;
}
