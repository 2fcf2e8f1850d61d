import { invalid, notFound } from "@switchyard/rpc";
import { schemaReference } from "../../domain/schemas/schema-reference.ts";
import type { ModelDocument, SchemaDocument } from "../../store/configuration-documents.ts";
import type { ConfigurationStore } from "../../store/configuration-store.ts";

/**
 * Finds a schema of the model by the id in a field of the request. Throws NotFound if it does not exist or belongs to another organization,
 * and InvalidArgument if it belongs to another model.
 */
export async function getModelSchema(
  configurations: Pick<ConfigurationStore, "schema">,
  model: ModelDocument,
  id: string,
  field: string,
): Promise<SchemaDocument> {
  const schema = await configurations.schema(id);
  if (schema === null || schema.organizationId !== model.organizationId) throw notFound("schema", id, field);
  if (schema.modelId !== model._id) {
    throw invalid([{ field, message: "is a schema of another model" }], "SCHEMA_OF_ANOTHER_MODEL");
  }
  return schema;
}

/** Like `getModelSchema`, but the field may also contain a version number. */
export async function getModelSchemaOrVersion(
  configurations: ConfigurationStore,
  model: ModelDocument,
  text: string,
  field: string,
): Promise<SchemaDocument> {
  const reference = schemaReference(text);
  if (reference.kind === "id") return getModelSchema(configurations, model, reference.id, field);
  const schema = await configurations.getSchemaVersion(model._id, reference.version);
  if (schema === null) throw notFound("schema", text, field);
  return schema;
}
