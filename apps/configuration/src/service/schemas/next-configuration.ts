import { newId } from "@switchyard/storage";
import type { SchemaContent } from "../../domain/schemas/schema-content.ts";
import type { ModelDocument } from "../../store/configuration-documents.ts";
import { storedContent, storedSettings } from "../../store/configuration-messages.ts";
import type { NextConfiguration } from "../../store/model-records.ts";

/** Returns the model with this content: as the next version of its schema, or as a draft while it has no tables. */
export function nextConfiguration(
  model: ModelDocument,
  content: SchemaContent,
  userId: string,
  at: Date,
): NextConfiguration {
  if (content.tables.length === 0) {
    const draft = { instructions: content.instructions, settings: storedSettings(content.settings), updatedAt: at };
    return { model: { ...model, draft, updatedAt: at }, schema: null };
  }
  const schema = {
    _id: newId("sch"),
    organizationId: model.organizationId,
    projectId: model.projectId,
    modelId: model._id,
    version: model.version + 1,
    ...storedContent(content),
    createdBy: userId,
    createdAt: at,
  };
  const current = { schemaId: schema._id, version: schema.version, tableCount: schema.tables.length, draft: null };
  return { model: { ...model, ...current, updatedAt: at }, schema };
}
