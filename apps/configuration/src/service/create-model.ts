import type { CreateModelRequest, Model } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { conflict, invalid } from "@switchyard/rpc";
import { isDuplicateKey, newId } from "@switchyard/storage";
import { foldName, faultsOfName } from "@switchyard/text";
import { buildContent, emptyContent } from "../domain/schema-content.ts";
import { schemaFaults } from "../domain/schema-faults.ts";
import { nameIndexes } from "../store/configuration-documents.ts";
import type { ModelDocument } from "../store/configuration-documents.ts";
import { modelMessage } from "../store/configuration-messages.ts";
import type { Dependencies } from "./dependencies.ts";
import { nextConfiguration } from "./next-configuration.ts";
import { projectOnPath } from "./project-access.ts";

/** Creates a model in a project, with its first schema when the request has tables. */
export async function createModel(
  { identities, configurations, now }: Dependencies,
  caller: Caller,
  request: CreateModelRequest,
): Promise<Model> {
  const project = await projectOnPath(identities, caller, request.projectId);
  const { instructions, tables, columns, extractionSettings: settings } = request;
  const input = { instructions, tables, columns, settings };
  const faults = [...faultsOfName("name", request.name), ...schemaFaults(input, false)];
  if (faults.length > 0) throw invalid(faults);
  const at = now();
  const bare: ModelDocument = {
    _id: newId("mdl"),
    organizationId: project.organizationId,
    projectId: project._id,
    name: request.name.trim(),
    foldedName: foldName(request.name),
    status: "ACTIVE",
    schemaId: null,
    version: 0,
    tableCount: 0,
    draft: null,
    deploymentsMade: 0,
    createdBy: caller.userId,
    createdAt: at,
    updatedAt: at,
  };
  const { model, schema } = nextConfiguration(bare, buildContent(input, emptyContent, newId), caller.userId, at);
  try {
    await configurations.createModel(model, schema);
  } catch (error) {
    if (!isDuplicateKey(error, nameIndexes.model)) throw error;
    throw conflict("NAME_TAKEN", "Another model of the project has this name.");
  }
  return modelMessage(model, []);
}
