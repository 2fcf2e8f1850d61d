import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ColumnType,
  ColumnTypeSchema,
  ConfigurationSchema,
  ConfigurationVersionSchema,
  MatchingKind,
  MatchingKindSchema,
  MatchingSchema,
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
  Matching,
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
  StoredMatching,
  StoredSettings,
  StoredTable,
} from "./configuration-documents.ts";

/** A model or a deployment of one. */
export type ModelOrDeploymentDocument =
  | { readonly kind: "model"; readonly document: ModelDocument }
  | { readonly kind: "deployment"; readonly document: DeploymentDocument };

/** The fields of a schema that the history of a model shows. */
export type SchemaSummary = Pick<SchemaDocument, "_id" | "version" | "createdAt" | "createdBy"> & {
  tables: readonly Pick<StoredTable, "id">[];
  columns: readonly Pick<StoredColumn, "id">[];
};

/** Converts a schema of a model's history to its message, with the deployments that serve it. */
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

/** Converts a model with its deployments, in order of creation, to its message in lists. */
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

/** Converts a deployment to its message in lists. */
function listedDeployment({ _id, name, status, schemaId }: DeploymentDocument) {
  return { id: _id, name, status: ModelStatus[status], schemaId };
}

/** Converts a deployment to its message. */
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

/** Converts a model with its deployments in order of creation, or a deployment, to a message for RPCs that return either. */
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

/** Converts the configuration of a schema, or of a model without one (null), to its message. */
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

/** Returns the content of a stored schema. */
export function schemaContent(schema: SchemaDocument): SchemaContent {
  return {
    instructions: schema.instructions,
    tables: schema.tables,
    columns: schema.columns.map(({ sharedId, type, matching, ...column }) => ({
      ...column,
      ...(sharedId === null ? {} : { sharedId }),
      type: ColumnType[type],
      ...(matching ? { matching: matchingFields(matching) } : {}),
    })),
    settings: settingsFields(schema.settings),
  };
}

/** Returns the content of a model without a schema. */
export function draftContent({ draft }: ModelDocument): SchemaContent {
  if (draft === null) return emptyContent;
  return { ...emptyContent, instructions: draft.instructions, settings: settingsFields(draft.settings) };
}

/** Converts the content of a schema to its stored form. */
export function storedContent(
  content: SchemaContent,
): Pick<SchemaDocument, "instructions" | "tables" | "columns" | "settings"> {
  return {
    instructions: content.instructions,
    tables: content.tables.map((table) => ({ ...table })),
    columns: content.columns.map(({ matching, ...column }) => ({
      ...column,
      sharedId: column.sharedId ?? null,
      type: ColumnTypeSchema.value[column.type]?.localName as StoredColumn["type"],
      matching: matching === undefined ? null : storedMatching(matching),
    })),
    settings: storedSettings(content.settings),
  };
}

function storedMatching({ kind, absoluteTolerance, relativeTolerance, maxEdits }: Fields<Matching>): StoredMatching {
  return {
    kind: MatchingKindSchema.value[kind]?.localName as StoredMatching["kind"],
    absoluteTolerance: absoluteTolerance ?? null,
    relativeTolerance: relativeTolerance ?? null,
    maxEdits: maxEdits ?? null,
  };
}

function matchingFields({ kind, absoluteTolerance, relativeTolerance, maxEdits }: StoredMatching): Matching {
  return create(MatchingSchema, {
    kind: MatchingKind[kind],
    ...(absoluteTolerance === null ? {} : { absoluteTolerance }),
    ...(relativeTolerance === null ? {} : { relativeTolerance }),
    ...(maxEdits === null ? {} : { maxEdits }),
  });
}

/** Converts extraction settings to their stored form. */
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
