import { createPassingCache } from "@switchyard/storage";
import type { DocumentCache, Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { Model } from "mongoose";
import { configurationModels } from "./configuration-documents.ts";
import type { DeploymentDocument, ModelDocument, SchemaDocument, StoredStatus } from "./configuration-documents.ts";
import type { SchemaSummary } from "./configuration-messages.ts";

/** Reads models, their schemas and deployments. They are changed through administration. */
export interface ConfigurationStore {
  model(id: string): Promise<ModelDocument | null>;
  schema(id: string): Promise<SchemaDocument | null>;
  deployment(id: string): Promise<DeploymentDocument | null>;
  models(ids: readonly string[]): Promise<ModelDocument[]>;
  deployments(ids: readonly string[]): Promise<DeploymentDocument[]>;
  schemas(ids: readonly string[]): Promise<SchemaDocument[]>;
  /** Returns the ids of the models of these schemas, by the id of the schema. */
  getModelIdsBySchema(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Lists the models of a project in order of creation, all of them or those with a status. */
  listProjectModels(projectId: string, status: StoredStatus | undefined): Promise<ModelDocument[]>;
  /** Lists the deployments of all models of a project in order of creation. */
  listProjectDeployments(projectId: string): Promise<DeploymentDocument[]>;
  /** Lists the deployments of a model in order of creation. */
  listModelDeployments(modelId: string): Promise<DeploymentDocument[]>;
  /** Finds a version of a model's schema. */
  getSchemaVersion(modelId: string, version: number): Promise<SchemaDocument | null>;
  /** Lists at most `limit` schemas of a model, newest first, optionally before a version. */
  listModelVersions(modelId: string, limit: number, before: number | undefined): Promise<SchemaSummary[]>;
  /** Returns the last names of those of the models and deployments that were deleted, by id. */
  lastNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Creates the store of models in a service's database. Documents that are found by ID come from the cache. */
export function createConfigurationStore(
  { connection }: Storage,
  cache: DocumentCache = createPassingCache(),
): ConfigurationStore {
  const { models, schemas, deployments, deleted } = configurationModels(connection);

  function byIds<Document extends { readonly _id: string }>(
    collection: Model<Document>,
    ids: readonly string[],
  ): Promise<Document[]> {
    return cache.find(collection.modelName, ids, async (missing) =>
      collection.find({ _id: trusted({ $in: [...missing] }) }).lean<Document[]>(),
    );
  }

  async function byId<Document extends { readonly _id: string }>(
    collection: Model<Document>,
    id: string,
  ): Promise<Document | null> {
    return (await byIds(collection, [id]))[0] ?? null;
  }

  return {
    model: (id) => byId(models, id),
    schema: (id) => byId(schemas, id),
    deployment: (id) => byId(deployments, id),
    models: (ids) => byIds(models, ids),
    deployments: (ids) => byIds(deployments, ids),
    schemas: (ids) => byIds(schemas, ids),
    async getModelIdsBySchema(ids) {
      const found = await cache.find("models of schemas", ids, async (missing) =>
        schemas
          .find({ _id: trusted({ $in: [...missing] }) })
          .select({ modelId: 1 })
          .lean<Pick<SchemaDocument, "_id" | "modelId">[]>(),
      );
      return new Map(found.map(({ _id, modelId }) => [_id, modelId]));
    },
    async listProjectModels(projectId, status) {
      return models
        .find(status === undefined ? { projectId } : { projectId, status })
        .sort({ _id: 1 })
        .lean<ModelDocument[]>();
    },
    listProjectDeployments: async (projectId) =>
      deployments.find({ projectId }).sort({ _id: 1 }).lean<DeploymentDocument[]>(),
    listModelDeployments: async (modelId) =>
      deployments.find({ modelId }).sort({ _id: 1 }).lean<DeploymentDocument[]>(),
    getSchemaVersion: async (modelId, version) => schemas.findOne({ modelId, version }).lean<SchemaDocument>(),
    async listModelVersions(modelId, limit, before) {
      return schemas
        .find(before === undefined ? { modelId } : { modelId, version: trusted({ $lt: before }) })
        .select({ modelId: 1, version: 1, "tables.id": 1, "columns.id": 1, createdBy: 1, createdAt: 1 })
        .sort({ version: -1 })
        .limit(limit)
        .lean<SchemaSummary[]>();
    },
    async lastNames(ids) {
      const found = await byIds(deleted, ids);
      return new Map(found.map(({ _id, name }) => [_id, name]));
    },
  };
}
