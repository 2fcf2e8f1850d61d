import type { ColumnType, MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** The status of a model or deployment, which decides whether it receives documents. */
export type StoredStatus = "ACTIVE" | "PAUSED";

/** Extraction settings as they are stored. */
export interface StoredSettings {
  engine: string;
  modelName: string | null;
  temperature: number | null;
  useExamples: boolean;
  numberOfExamples: number;
}

/** A table as it is stored. */
export interface StoredTable {
  id: string;
  slug: string;
  name: string;
  instructions: string;
  isPrimary: boolean;
}

/** The matching of a column as it is stored. */
export interface StoredMatching {
  kind: keyof typeof MatchingKind;
  absoluteTolerance: number | null;
  relativeTolerance: number | null;
  maxEdits: number | null;
}

/** A column as it is stored. */
export interface StoredColumn {
  id: string;
  tableId: string;
  slug: string;
  sharedId: string | null;
  excludedFromExtraction: boolean;
  name: string;
  type: keyof typeof ColumnType;
  description: string;
  isKey: boolean;
  required: boolean;
  enumValues: string[];
  synonyms: string[];
  index: number;
  /** Absent from older schemas. */
  matching?: StoredMatching | null;
}

/** A model. `version` and `tableCount` are those of its current schema. Without a schema they are 0, and `draft` has the content. */
export interface ModelDocument {
  _id: string;
  organizationId: string;
  projectId: string;
  name: string;
  foldedName: string;
  status: StoredStatus;
  schemaId: string | null;
  version: number;
  tableCount: number;
  draft: { instructions: string; settings: StoredSettings; updatedAt: Date } | null;
  /**
   * The number of deployments that were ever created. Every creation writes it, so that the creation of a deployment conflicts with the
   * deletion of the model.
   */
  deploymentsMade: number;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** An extraction schema: one immutable version of a model's configuration. */
export interface SchemaDocument {
  _id: string;
  organizationId: string;
  projectId: string;
  modelId: string;
  version: number;
  instructions: string;
  tables: StoredTable[];
  columns: StoredColumn[];
  settings: StoredSettings;
  createdBy: string;
  createdAt: Date;
}

/** A deployment of a model, which serves one of its schemas. */
export interface DeploymentDocument {
  _id: string;
  organizationId: string;
  projectId: string;
  modelId: string;
  name: string;
  foldedName: string;
  status: StoredStatus;
  schemaId: string;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** The record of a deleted model or deployment. It keeps the last name for the routes that still point to it. */
export interface DeletedDocument {
  /** The id of the deleted model or deployment. */
  _id: string;
  organizationId: string;
  name: string;
  deletedAt: Date;
}

/** The collections of models. */
export interface ConfigurationModels {
  models: Model<ModelDocument>;
  schemas: Model<SchemaDocument>;
  deployments: Model<DeploymentDocument>;
  deleted: Model<DeletedDocument>;
}

/** The unique indexes of the names of models and deployments. */
export const nameIndexes = { model: "model_name", deployment: "deployment_name" } as const;

const text = { type: String, required: true } as const;
// Mongoose treats an empty text as missing if a text is required.
const maybeEmptyText = { type: String, default: "" } as const;
const maybeText = { type: String, default: null } as const;
const count = { type: Number, required: true } as const;
const flag = { type: Boolean, required: true } as const;
const moment = { type: Date, required: true } as const;

/** Registers the collections of models with a connection. Does nothing if they are registered. */
export function configurationModels(connection: Connection): ConfigurationModels {
  return {
    models: registeredModel(connection, "models", modelSchema),
    schemas: registeredModel(connection, "schemas", schemaSchema),
    deployments: registeredModel(connection, "deployments", deploymentSchema),
    deleted: registeredModel(connection, "deleted", deletedSchema),
  };
}

function settingsSchema(): Schema<StoredSettings> {
  const temperature = { type: Number, default: null };
  return new Schema<StoredSettings>(
    { engine: text, modelName: maybeText, temperature, useExamples: flag, numberOfExamples: count },
    { _id: false },
  );
}

function modelSchema(): Schema<ModelDocument> {
  const draft = new Schema(
    { instructions: maybeEmptyText, settings: settingsSchema(), updatedAt: moment },
    { _id: false },
  );
  return new Schema<ModelDocument>(
    {
      _id: text,
      organizationId: text,
      projectId: text,
      name: text,
      foldedName: text,
      status: text,
      schemaId: maybeText,
      version: count,
      tableCount: count,
      draft: { type: draft, default: null },
      deploymentsMade: { type: Number, default: 0 },
      createdBy: text,
      createdAt: moment,
      updatedAt: moment,
    },
    { versionKey: false },
  )
    .index({ projectId: 1, foldedName: 1 }, { unique: true, name: nameIndexes.model })
    .index({ projectId: 1, _id: 1 })
    .index({ projectId: 1, status: 1, _id: 1 })
    .index({ organizationId: 1 });
}

function schemaSchema(): Schema<SchemaDocument> {
  const table = new Schema<StoredTable>(
    { id: text, slug: text, name: text, instructions: maybeEmptyText, isPrimary: flag },
    { _id: false, id: false },
  );
  const maybeNumber = { type: Number, default: null } as const;
  const matching = new Schema<StoredMatching>(
    { kind: text, absoluteTolerance: maybeNumber, relativeTolerance: maybeNumber, maxEdits: maybeNumber },
    { _id: false, id: false },
  );
  const column = new Schema<StoredColumn>(
    {
      id: text,
      tableId: text,
      slug: text,
      sharedId: maybeText,
      excludedFromExtraction: flag,
      name: text,
      type: text,
      description: maybeEmptyText,
      isKey: flag,
      required: flag,
      enumValues: { type: [String], required: true },
      synonyms: { type: [String], required: true },
      index: count,
      matching: { type: matching, default: null },
    },
    { _id: false, id: false },
  );
  return new Schema<SchemaDocument>(
    {
      _id: text,
      organizationId: text,
      projectId: text,
      modelId: text,
      version: count,
      instructions: maybeEmptyText,
      tables: [table],
      columns: [column],
      settings: settingsSchema(),
      createdBy: text,
      createdAt: moment,
    },
    { versionKey: false },
  )
    .index({ modelId: 1, version: 1 }, { unique: true, name: "schema_version" })
    .index({ projectId: 1 })
    .index({ organizationId: 1 });
}

function deploymentSchema(): Schema<DeploymentDocument> {
  return new Schema<DeploymentDocument>(
    {
      _id: text,
      organizationId: text,
      projectId: text,
      modelId: text,
      name: text,
      foldedName: text,
      status: text,
      schemaId: text,
      createdBy: text,
      createdAt: moment,
      updatedAt: moment,
    },
    { versionKey: false },
  )
    .index({ modelId: 1, foldedName: 1 }, { unique: true, name: nameIndexes.deployment })
    .index({ projectId: 1, _id: 1 });
}

function deletedSchema(): Schema<DeletedDocument> {
  return new Schema<DeletedDocument>(
    { _id: text, organizationId: text, name: text, deletedAt: moment },
    { versionKey: false },
  );
}
