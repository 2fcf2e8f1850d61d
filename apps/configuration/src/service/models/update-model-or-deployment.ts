import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type {
  ModelOrDeployment,
  UpdateModelOrDeploymentRequest,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { conflict, invalid } from "@switchyard/rpc";
import { isDuplicateKey } from "@switchyard/storage";
import { fieldChange, foldName } from "@switchyard/text";
import { targetChange } from "../../domain/target-change.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import { nameIndexes } from "../../store/configuration-documents.ts";
import type { StoredStatus } from "../../store/configuration-documents.ts";
import { modelOrDeploymentMessage } from "../../store/configuration-messages.ts";
import type { ModelOrDeploymentDocument } from "../../store/configuration-messages.ts";
import type { TargetFields } from "../../store/model-records.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { targetOnPath } from "./path-target.ts";
import type { PathTarget } from "./path-target.ts";
import { getModelSchema } from "./schema-of-model.ts";

/** Renames a model or deployment, or lets a deployment serve another schema of its model. Fields that do not change are not written. */
export async function updateModelOrDeployment(
  { administer, now }: Dependencies,
  request: UpdateModelOrDeploymentRequest,
  context: HandlerContext,
): Promise<ModelOrDeployment> {
  const caller = getCaller(context);
  try {
    return await administer(async (records) => {
      const target = await targetOnPath(records, caller, request.targetId);
      const present = getDocument(target);
      const outcome = targetChange(request, present.kind);
      if (outcome.kind === "invalid") throw invalid(outcome.violations);
      const { schemaId } = outcome.change;
      if (schemaId !== undefined) await getModelSchema(records, target.model, schemaId, "extractionSchemaId");
      return change(records, context, present, { ...outcome.change, updatedAt: now() });
    });
  } catch (error) {
    if (isDuplicateKey(error, nameIndexes.model)) throw nameTaken("model of the project");
    if (isDuplicateKey(error, nameIndexes.deployment)) throw nameTaken("deployment of the model");
    throw error;
  }
}

/** Implements the RPCs `pause` and `resume` of a model or deployment. They have no effect if it already has the status. */
export async function setStatus(
  { administer, now }: Dependencies,
  { targetId, status }: { targetId: string; status: StoredStatus },
  context: HandlerContext,
): Promise<ModelOrDeployment> {
  const caller = getCaller(context);
  return administer(async (records) => {
    const present = getDocument(await targetOnPath(records, caller, targetId));
    return change(records, context, present, { status, updatedAt: now() });
  });
}

/** Writes the fields that differ, and an entry of the audit trail. Does nothing if no field differs. */
async function change(
  records: Pick<AdministrationRecords, "listModelDeployments" | "updateTarget" | "append">,
  context: HandlerContext,
  present: ModelOrDeploymentDocument,
  { updatedAt, ...wanted }: TargetFields,
): Promise<ModelOrDeployment> {
  const { name, schemaId, status } = { ...present.document, ...wanted };
  const changes = {
    ...fieldChange("name", present.document.name, name),
    ...fieldChange("extractionSchemaId", present.document.schemaId, schemaId),
    ...fieldChange("status", present.document.status, status),
  };
  const { kind, document } = present;
  const deployments = kind === "model" ? await records.listModelDeployments(document._id) : [];
  if (Object.keys(changes).length === 0) return modelOrDeploymentMessage(present, deployments);
  const folded = wanted.name === undefined ? {} : { foldedName: foldName(wanted.name) };
  const changed = await records.updateTarget(present, { ...wanted, ...folded, updatedAt });
  await records.append(changeEntry(context, updatedAt, document._id, changes));
  return modelOrDeploymentMessage(changed, deployments);
}

/** Returns the document that a verb acts on. For the id of a schema, it is the model. */
function getDocument(target: PathTarget): ModelOrDeploymentDocument {
  return target.kind === "deployment"
    ? { kind: "deployment", document: target.deployment }
    : { kind: "model", document: target.model };
}

function nameTaken(others: string): Error {
  return conflict("NAME_TAKEN", `Another ${others} has this name.`);
}
