import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ColumnType,
  ColumnTypeSchema,
  ConfigurationSchema,
  ConfigurationVersionSchema,
  DeploymentSchema,
  ModelOrDeploymentSchema,
  ModelSchema,
  ModelStatus,
  ModelType,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  Configuration,
  ConfigurationVersion,
  Deployment,
  ExtractionSettings,
  Model,
  ModelOrDeployment,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { emptyContent } from "../domain/schemas/schema-content.ts";
import type { Fields, SchemaContent } from "../domain/schemas/schema-content.ts";
import type {
  DeploymentDocument,
  ModelDocument,
  SchemaDocument,
  StoredColumn,
  StoredSettings,
  StoredTable,
} from "./configuration-documents.ts";

/** A model or a deployment of one. */
export type ModelOrDeploymentDocument =
  | { readonly kind: "model"; readonly document: ModelDocument }
  | { readonly kind: "deployment"; readonly document: DeploymentDocument };

/** What the history of a model shows of a schema. */
export type SchemaSummary = Pick<SchemaDocument, "_id" | "version" | "createdAt" | "createdBy"> & {
  tables: readonly Pick<StoredTable, "id">[];
  columns: readonly Pick<StoredColumn, "id">[];
};

/** A schema in the history of its model, with those of the model's deployments that serve it. */
export function versionMessage(
  schema: SchemaSummary,
  model: ModelDocument,
  deployments: readonly DeploymentDocument[],
): ConfigurationVersion {
  return create(ConfigurationVersionSchema, {
    schemaId: schema._id,
    version: schema.version,
    isCurrent: schema._id === model.schemaId,
    servedBy: deployments.filter(({ schemaId }) => schemaId === schema._id).map(({ _id, name }) => ({ id: _id, name })),
    tableCount: schema.tables.length,
    columnCount: schema.columns.length,
    createdAt: timestampFromDate(schema.createdAt),
    createdBy: schema.createdBy,
  });
}

/** A model with its deployments, in order of creation, as the list shows it. */
export function modelMessage(model: ModelDocument, deployments: readonly DeploymentDocument[]): Model {
  return create(ModelSchema, {
    id: model._id,
    name: model.name,
    type: ModelType.MODEL,
    status: ModelStatus[model.status],
    projectId: model.projectId,
    ...(model.schemaId === null ? {} : { schemaId: model.schemaId }),
    tableCount: model.tableCount,
    deployments: deployments.map(listedDeployment),
    createdAt: timestampFromDate(model.createdAt),
    updatedAt: timestampFromDate(model.updatedAt),
  });
}

/** A deployment as the list of models shows it. */
function listedDeployment({ _id, name, status, schemaId }: DeploymentDocument) {
  return { id: _id, name, status: ModelStatus[status], schemaId };
}

/** A deployment as the contract has it. */
export function deploymentMessage(deployment: DeploymentDocument): Deployment {
  return create(DeploymentSchema, {
    id: deployment._id,
    name: deployment.name,
    type: ModelType.PRODUCTION,
    status: ModelStatus[deployment.status],
    projectId: deployment.projectId,
    modelId: deployment.modelId,
    schemaId: deployment.schemaId,
    createdAt: timestampFromDate(deployment.createdAt),
    updatedAt: timestampFromDate(deployment.updatedAt),
  });
}

/** A model, with its deployments in order of creation, or a deployment, which has none, where the contract accepts both. */
export function modelOrDeploymentMessage(
  { kind, document }: ModelOrDeploymentDocument,
  deployments: readonly DeploymentDocument[],
): ModelOrDeployment {
  return create(ModelOrDeploymentSchema, {
    id: document._id,
    name: document.name,
    type: toModelType(kind),
    status: ModelStatus[document.status],
    projectId: document.projectId,
    ...(document.schemaId === null ? {} : { schemaId: document.schemaId }),
    ...("tableCount" in document ? { tableCount: document.tableCount } : {}),
    deployments: deployments.map(listedDeployment),
    createdAt: timestampFromDate(document.createdAt),
    updatedAt: timestampFromDate(document.updatedAt),
  });
}

/** A configuration: of a schema, or of a model that has none (null). */
export function configurationMessage(
  { kind, document }: ModelOrDeploymentDocument,
  model: ModelDocument,
  schema: SchemaDocument | null,
): Configuration {
  const content = schema === null ? draftContent(model) : schemaContent(schema);
  return create(ConfigurationSchema, {
    target: {
      id: document._id,
      name: document.name,
      type: toModelType(kind),
      status: ModelStatus[document.status],
      projectId: document.projectId,
    },
    ...(schema === null ? {} : { schemaId: schema._id }),
    version: schema?.version ?? 0,
    instructions: content.instructions,
    tables: [...content.tables],
    columns: [...content.columns],
    extractionSettings: content.settings,
    updatedAt: timestampFromDate(schema?.createdAt ?? model.draft?.updatedAt ?? model.createdAt),
  });
}

/** What a stored schema says. */
export function schemaContent(schema: SchemaDocument): SchemaContent {
  return {
    instructions: schema.instructions,
    tables: schema.tables,
    columns: schema.columns.map(({ sharedId, type, ...column }) => ({
      ...column,
      ...(sharedId === null ? {} : { sharedId }),
      type: ColumnType[type],
    })),
    settings: settingsFields(schema.settings),
  };
}

/** What a model without a schema says. */
export function draftContent({ draft }: ModelDocument): SchemaContent {
  if (draft === null) return emptyContent;
  return { ...emptyContent, instructions: draft.instructions, settings: settingsFields(draft.settings) };
}

/** A schema's content as it is stored. */
export function storedContent(
  content: SchemaContent,
): Pick<SchemaDocument, "instructions" | "tables" | "columns" | "settings"> {
  return {
    instructions: content.instructions,
    tables: content.tables.map((table) => ({ ...table })),
    columns: content.columns.map((column) => ({
      ...column,
      sharedId: column.sharedId ?? null,
      type: ColumnTypeSchema.value[column.type]?.localName as StoredColumn["type"],
    })),
    settings: storedSettings(content.settings),
  };
}

/** Extraction settings as they are stored. */
export function storedSettings(settings: Fields<ExtractionSettings>): StoredSettings {
  const { engine, modelName, temperature, useExamples, numberOfExamples } = settings;
  return { engine, modelName: modelName ?? null, temperature: temperature ?? null, useExamples, numberOfExamples };
}

function settingsFields({ modelName, temperature, ...settings }: StoredSettings): Fields<ExtractionSettings> {
  return {
    ...settings,
    ...(modelName === null ? {} : { modelName }),
    ...(temperature === null ? {} : { temperature }),
  };
}

function toModelType(kind: ModelOrDeploymentDocument["kind"]): ModelType {
  return kind === "model" ? ModelType.MODEL : ModelType.PRODUCTION;
}
