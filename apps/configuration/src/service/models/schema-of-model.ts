import { invalid, notFound } from "@switchyard/rpc";
import { schemaReference } from "../../domain/schemas/schema-reference.ts";
import type { ModelDocument, SchemaDocument } from "../../store/configuration-documents.ts";
import type { ConfigurationStore } from "../../store/configuration-store.ts";

/**
 * The schema of the model that a field of a request names by its id. Throws NotFound for one that does not exist or is of another
 * organization, InvalidArgument for one of another model.
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

/** The same for a field that may also hold a version number of the model. */
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
