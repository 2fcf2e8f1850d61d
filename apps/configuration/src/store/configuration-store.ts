import type { Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClientSession, Model } from "mongoose";
import { configurationModels } from "./configuration-documents.ts";
import type { DeploymentDocument, ModelDocument, SchemaDocument, StoredStatus } from "./configuration-documents.ts";
import type { SchemaSummary } from "./configuration-messages.ts";
import type { ModelOrDeploymentDocument } from "./configuration-messages.ts";

/** What a model's next configuration consists of: a schema, or a draft while the model has no tables. */
export interface NextConfiguration {
  /** The model as it will be. */
  model: ModelDocument;
  /** The new version of its schema, if there is one. */
  schema: SchemaDocument | null;
}

/** What can be changed of a model or a deployment; only the latter has a `schemaId` to change. */
export interface TargetFields {
  name?: string;
  foldedName?: string;
  schemaId?: string;
  updatedAt: Date;
}

/** Models, their schemas and deployments as they are stored. */
export interface ConfigurationStore {
  model(id: string): Promise<ModelDocument | null>;
  schema(id: string): Promise<SchemaDocument | null>;
  deployment(id: string): Promise<DeploymentDocument | null>;
  models(ids: readonly string[]): Promise<ModelDocument[]>;
  deployments(ids: readonly string[]): Promise<DeploymentDocument[]>;
  schemas(ids: readonly string[]): Promise<SchemaDocument[]>;
  /** The ids of the models of these schemas, by the schema's id. */
  modelIdsOfSchemas(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The models of a project, in order of creation, all or those in one status. */
  modelsOfProject(projectId: string, status: StoredStatus | undefined): Promise<ModelDocument[]>;
  /** The deployments of all models of a project, in order of creation. */
  deploymentsOfProject(projectId: string): Promise<DeploymentDocument[]>;
  /** The deployments of a model, in order of creation. */
  deploymentsOfModel(modelId: string): Promise<DeploymentDocument[]>;
  /** The schema that is this version of the model. */
  schemaOfVersion(modelId: string, version: number): Promise<SchemaDocument | null>;
  /** The schemas of a model, newest first, at most `limit`, of those before a version if one is named. */
  versionsOfModel(modelId: string, limit: number, before: number | undefined): Promise<SchemaSummary[]>;
  /** Stores a model and, if it has one, its first schema. Fails with a duplicate key of the index of model names. */
  createModel(model: ModelDocument, schema: SchemaDocument | null): Promise<void>;
  /** Stores a deployment, or answers false when its model is gone. Fails with a duplicate key of the index of deployment names. */
  createDeployment(deployment: DeploymentDocument): Promise<boolean>;
  /** Sets fields; answers what is there then, or null when nothing is. Fails with a duplicate key of the index of names. */
  update(
    kind: ModelOrDeploymentDocument["kind"],
    id: string,
    fields: TargetFields,
  ): Promise<ModelOrDeploymentDocument | null>;
  /**
   * Replaces a model's configuration by what `decide` makes of the one there is, or leaves it where `decide` answers null.
   * Nobody else's change comes between; `decide` may run more than once. Answers the model and its schema as they are then, or
   * null when there is no such model.
   */
  changeConfiguration(
    modelId: string,
    decide: (model: ModelDocument, schema: SchemaDocument | null) => NextConfiguration | null,
  ): Promise<NextConfiguration | null>;
  /** Sets a status where it is another; answers what is there then, or null when nothing is. */
  setStatus(
    kind: ModelOrDeploymentDocument["kind"],
    id: string,
    status: StoredStatus,
    at: Date,
  ): Promise<ModelOrDeploymentDocument | null>;
}

/** The store of models over a service's database. */
export function createConfigurationStore({ connection, atomically }: Storage): ConfigurationStore {
  const { models, schemas, deployments } = configurationModels(connection);

  async function replaceConfiguration({ model, schema }: NextConfiguration, session: ClientSession): Promise<void> {
    if (schema !== null) await schemas.create([schema], { session });
    const { schemaId, version, tableCount, draft, updatedAt } = model;
    const change = { $set: { schemaId, version, tableCount, draft, updatedAt } };
    await models.updateOne({ _id: model._id }, change, { session });
  }

  return {
    model: async (id) => models.findOne({ _id: id }).lean<ModelDocument>(),
    schema: async (id) => schemas.findOne({ _id: id }).lean<SchemaDocument>(),
    deployment: async (id) => deployments.findOne({ _id: id }).lean<DeploymentDocument>(),
    models: (ids) => byIds(models, ids),
    deployments: (ids) => byIds(deployments, ids),
    schemas: (ids) => byIds(schemas, ids),
    async modelIdsOfSchemas(ids) {
      if (ids.length === 0) return new Map();
      const found = await schemas
        .find({ _id: trusted({ $in: [...new Set(ids)] }) })
        .select({ modelId: 1 })
        .lean<Pick<SchemaDocument, "_id" | "modelId">[]>();
      return new Map(found.map(({ _id, modelId }) => [_id, modelId]));
    },
    async modelsOfProject(projectId, status) {
      return models
        .find(status === undefined ? { projectId } : { projectId, status })
        .sort({ _id: 1 })
        .lean<ModelDocument[]>();
    },
    deploymentsOfProject: async (projectId) =>
      deployments.find({ projectId }).sort({ _id: 1 }).lean<DeploymentDocument[]>(),
    deploymentsOfModel: async (modelId) => deployments.find({ modelId }).sort({ _id: 1 }).lean<DeploymentDocument[]>(),
    schemaOfVersion: async (modelId, version) => schemas.findOne({ modelId, version }).lean<SchemaDocument>(),
    async versionsOfModel(modelId, limit, before) {
      return schemas
        .find(before === undefined ? { modelId } : { modelId, version: trusted({ $lt: before }) })
        .select({ modelId: 1, version: 1, "tables.id": 1, "columns.id": 1, createdBy: 1, createdAt: 1 })
        .sort({ version: -1 })
        .limit(limit)
        .lean<SchemaSummary[]>();
    },
    createModel: (model, schema) =>
      atomically(async (session) => {
        await models.create([model], { session });
        if (schema !== null) await schemas.create([schema], { session });
      }),
    createDeployment: (deployment) =>
      atomically(async (session) => {
        const counted = { $inc: { deploymentsMade: 1 } };
        const { matchedCount } = await models.updateOne({ _id: deployment.modelId }, counted, { session });
        if (matchedCount === 0) return false;
        await deployments.create([deployment], { session });
        return true;
      }),
    async update(kind, id, fields) {
      const after = { returnDocument: "after" } as const;
      if (kind === "model") {
        const document = await models.findOneAndUpdate({ _id: id }, { $set: fields }, after).lean<ModelDocument>();
        return document && { kind, document };
      }
      const document = await deployments
        .findOneAndUpdate({ _id: id }, { $set: fields }, after)
        .lean<DeploymentDocument>();
      return document && { kind, document };
    },
    changeConfiguration: (modelId, decide) =>
      atomically(async (session) => {
        const model = await models.findOne({ _id: modelId }).session(session).lean<ModelDocument>();
        if (model === null) return null;
        const schema =
          model.schemaId === null
            ? null
            : await schemas.findOne({ _id: model.schemaId }).session(session).lean<SchemaDocument>();
        const next = decide(model, schema);
        if (next === null) return { model, schema };
        await replaceConfiguration(next, session);
        return next;
      }),
    async setStatus(kind, id, status, at) {
      const other: { _id: string; status: StoredStatus } = {
        _id: id,
        status: status === "ACTIVE" ? "PAUSED" : "ACTIVE",
      };
      const change = { $set: { status, updatedAt: at } };
      if (kind === "model") {
        await models.updateOne(other, change);
        const document = await models.findOne({ _id: id }).lean<ModelDocument>();
        return document && { kind, document };
      }
      await deployments.updateOne(other, change);
      const document = await deployments.findOne({ _id: id }).lean<DeploymentDocument>();
      return document && { kind, document };
    },
  };
}

async function byIds<Document>(collection: Model<Document>, ids: readonly string[]): Promise<Document[]> {
  if (ids.length === 0) return [];
  return collection.find({ _id: trusted({ $in: [...new Set(ids)] }) }).lean<Document[]>();
}
