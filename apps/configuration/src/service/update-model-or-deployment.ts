import type {
  ModelOrDeployment,
  UpdateModelOrDeploymentRequest,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { conflict, invalid, notFound } from "@switchyard/rpc";
import { isDuplicateKey } from "@switchyard/storage";
import { foldName } from "@switchyard/text";
import { targetChange } from "../domain/target-change.ts";
import type { TargetChange } from "../domain/target-change.ts";
import { nameIndexes } from "../store/configuration-documents.ts";
import { modelOrDeploymentMessage } from "../store/configuration-messages.ts";
import type { ModelOrDeploymentDocument } from "../store/configuration-messages.ts";
import type { Dependencies } from "./dependencies.ts";
import { targetOnPath } from "./path-target.ts";
import { schemaOfModel } from "./schema-of-model.ts";

/** Renames a model or deployment, or lets a deployment serve another schema of its model. What stays as it is, is not written. */
export async function updateModelOrDeployment(
  { configurations, now }: Dependencies,
  caller: Caller,
  request: UpdateModelOrDeploymentRequest,
): Promise<ModelOrDeployment> {
  const target = await targetOnPath(configurations, caller, request.targetId);
  const present: ModelOrDeploymentDocument =
    target.kind === "deployment"
      ? { kind: "deployment", document: target.deployment }
      : { kind: "model", document: target.model };
  const outcome = targetChange(request, present.kind);
  if (outcome.kind === "faults") throw invalid(outcome.faults);
  const { name, schemaId } = outcome.change;
  if (schemaId !== undefined) await schemaOfModel(configurations, target.model, schemaId, "extractionSchemaId");
  const different = {
    ...(name === undefined || name === present.document.name ? {} : { name, foldedName: foldName(name) }),
    ...(schemaId === undefined || schemaId === present.document.schemaId ? {} : { schemaId }),
  };
  if (isNothing(different)) return modelOrDeploymentMessage(present);
  try {
    const changed = await configurations.update(present.kind, present.document._id, { ...different, updatedAt: now() });
    if (changed === null) throw notFound("deployment", request.targetId, "deploymentId");
    return modelOrDeploymentMessage(changed);
  } catch (error) {
    if (!isDuplicateKey(error, nameIndexes[present.kind])) throw error;
    const others = present.kind === "model" ? "model of the project" : "deployment of the model";
    throw conflict("NAME_TAKEN", `Another ${others} has this name.`);
  }
}

function isNothing(change: TargetChange): boolean {
  return Object.keys(change).length === 0;
}
