import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type { CreateModelRequest, Model } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { conflict, invalid, notFound } from "@switchyard/rpc";
import { isDuplicateKey, newId } from "@switchyard/storage";
import { foldName, validateName } from "@switchyard/text";
import { buildContent, emptyContent } from "../../domain/schemas/schema-content.ts";
import { validateSchema } from "../../domain/schemas/schema-validation.ts";
import { validateSettings } from "../../domain/schemas/settings-validation.ts";
import { nameIndexes } from "../../store/configuration-documents.ts";
import type { ModelDocument } from "../../store/configuration-documents.ts";
import { modelMessage } from "../../store/configuration-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { listUsableEngines } from "../engines/usable-engines.ts";
import { nextConfiguration } from "../schemas/next-configuration.ts";
import { projectOnPath } from "../projects/project-access.ts";

/** Creates a model in a project, with its first schema if the request contains tables. */
export async function createModel(
  { identities, administer, quotas, now, engines }: Dependencies,
  request: CreateModelRequest,
  context: HandlerContext,
): Promise<Model> {
  const caller = getCaller(context);
  const project = await projectOnPath(identities, caller, request.projectId);
  const { instructions, tables, columns, extractionSettings: settings } = request;
  const input = { instructions, tables, columns, settings };
  const violations = [
    ...validateName("name", request.name),
    ...validateSchema(input, false),
    ...validateSettings(settings, listUsableEngines(engines, project.organizationId)),
  ];
  if (violations.length > 0) throw invalid(violations);
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
  const next = nextConfiguration(bare, buildContent(input, emptyContent, newId), caller.userId, at);
  const { _id, organizationId, projectId, name, schemaId } = next.model;
  const allowed = await quotas.get(organizationId);
  try {
    return await administer(async (records) => {
      if ((await records.lockProjects(organizationId, [projectId])).size === 0) {
        throw notFound("project", projectId, "projectId");
      }
      await records.insertModel(next, allowed);
      await records.append(changeEntry(context, at, _id, { name, projectId, extractionSchemaId: schemaId }));
      return modelMessage(next.model, []);
    });
  } catch (error) {
    if (!isDuplicateKey(error, nameIndexes.model)) throw error;
    throw conflict("NAME_TAKEN", "Another model of the project has this name.");
  }
}
