import type { CallOptions } from "@connectrpc/connect";
import type { TargetModel } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { CreateExecutionRequest } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { ListAcceptedFilesResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, modelHasNoSchema, notFound } from "@switchyard/rpc";
import type { Violation } from "@switchyard/text";
import { characterCount, validateName } from "@switchyard/text";
import type { Dependencies } from "../dependencies.ts";

/** The maximum number of files of an execution. */
export const maxFiles = 10_000;
const maxDescriptionLength = 2_000;

/** Throws INVALID_ARGUMENT for faults of a new execution that can be found without other services. */
export function assertValid({ modelId, name, description, fileIds }: CreateExecutionRequest): void {
  const violations: Violation[] = [...validateName("name", name)];
  if (characterCount(description) > maxDescriptionLength)
    violations.push({ field: "description", message: `must have at most ${maxDescriptionLength} characters` });
  if (modelId === "") violations.push({ field: "deploymentId", message: "is required" });
  if (fileIds.length > maxFiles)
    violations.push({ field: "fileIds", message: `must have at most ${maxFiles} entries` });
  const seen = new Set<string>();
  for (const [index, id] of fileIds.entries()) {
    if (seen.has(id) && violations.length < 100)
      violations.push({ field: `fileIds[${index}]`, message: "is given more than once" });
    seen.add(id);
  }
  if (violations.length > 0) throw invalid(violations);
}

/**
 * Loads the model of a new execution, with the schema to run: the given one, or the current one. Throws NOT_FOUND if the ID is not that of
 * a model of the project, even if it is that of a deployment, an extraction schema or a model of another project (specification 4.6), and
 * if the schema is not one of the model.
 */
export async function loadModel(
  { targets }: Pick<Dependencies, "targets">,
  caller: Caller,
  { modelId, projectId, schemaId }: Pick<CreateExecutionRequest, "modelId" | "projectId" | "schemaId">,
  options: CallOptions,
): Promise<TargetModel & { schemaId: string }> {
  const references = schemaId === undefined ? [{ modelId }] : [{ modelId }, { modelId: schemaId }];
  const [target, ofSchema] = (await targets.resolveTargets({ targets: references }, options)).targets;
  const model = target?.model;
  const own = model?.id === modelId && model.projectId === projectId && model.organizationId === caller.organizationId;
  if (!own) throw notFound("deployment", modelId, "deploymentId");
  if (model.schemaId === undefined) throw modelHasNoSchema();
  if (schemaId === undefined) return { ...model, schemaId: model.schemaId };
  // The ID of a schema is resolved to its model. That of the model itself is none of a schema.
  const isSchema = schemaId !== modelId && ofSchema?.model?.id === modelId;
  if (!isSchema) throw notFound("schema", schemaId, "extractionSchemaId");
  return { ...model, schemaId };
}

/**
 * Loads the files of a new execution with the hashes of their accepted values: the given files, or all that are accepted for the model; and the
 * engine that the schema names.
 */
export async function loadFiles(
  { documents }: Pick<Dependencies, "documents">,
  { projectId, modelId, fileIds }: Pick<CreateExecutionRequest, "projectId" | "modelId" | "fileIds">,
  schemaId: string,
  options: CallOptions,
): Promise<ListAcceptedFilesResponse> {
  const listed = { projectId, modelId, fileIds, schemaId, limit: maxFiles + 1 };
  const response = await documents.listAcceptedFiles(listed, options);
  const [unknown] = response.unknownFileIds;
  if (unknown !== undefined) throw notFound("file", unknown, `fileIds[${fileIds.indexOf(unknown)}]`);
  const accepted = new Set(response.files.map(({ fileId }) => fileId));
  const violations = fileIds.flatMap((id, index) =>
    accepted.has(id) ? [] : [{ field: `fileIds[${index}]`, message: "is not accepted for the model" }],
  );
  if (violations.length > 0) throw invalid(violations.slice(0, 100), "FILE_NOT_ACCEPTED");
  if (response.files.length === 0) {
    throw invalid([{ field: "fileIds", message: "no file is accepted for the model" }], "NO_ACCEPTED_FILES");
  }
  if (response.files.length > maxFiles) {
    const message = `more than ${maxFiles} files are accepted for the model; select the files to use`;
    throw invalid([{ field: "fileIds", message }], "TOO_MANY_FILES");
  }
  return response;
}
