import { requireQuota } from "@switchyard/storage";
import type { Quotas } from "@switchyard/storage";
import type { ClientSession } from "mongoose";
import type {
  ConfigurationModels,
  DeploymentDocument,
  ModelDocument,
  SchemaDocument,
  StoredStatus,
} from "./configuration-documents.ts";
import type { ModelOrDeploymentDocument } from "./configuration-messages.ts";
import { createDeletedDocument } from "./model-removal.ts";
import type { ModelRemoval } from "./model-removal.ts";
import type { ModelUsage } from "./model-usage.ts";

/** The next configuration of a model: a schema, or a draft while the model has no tables. */
export interface NextConfiguration {
  /** The model after the change. */
  model: ModelDocument;
  /** The new version of its schema, or null. */
  schema: SchemaDocument | null;
}

/** The fields of a model or a deployment that can be changed. Only a deployment has a `schemaId`. */
export interface TargetFields {
  name?: string;
  foldedName?: string;
  schemaId?: string;
  status?: StoredStatus;
  updatedAt: Date;
}

/** The reads and writes of models and deployments in a transaction. They must not run concurrently. */
export interface ModelRecords {
  model(id: string): Promise<ModelDocument | null>;
  schema(id: string): Promise<SchemaDocument | null>;
  deployment(id: string): Promise<DeploymentDocument | null>;
  /** Lists the deployments of a model in order of creation. */
  listModelDeployments(modelId: string): Promise<DeploymentDocument[]>;
  /**
   * Stores a model and its first schema, if it has one. Fails with a duplicate key of the index of model names, and with InvalidArgument
   * (QUOTA_EXCEEDED).
   */
  insertModel(next: NextConfiguration, quotas: Quotas): Promise<void>;
  /**
   * Stores a deployment, and prevents the concurrent deletion of its model. Fails with a duplicate key of the index of deployment names.
   */
  insertDeployment(deployment: DeploymentDocument): Promise<void>;
  /** Stores the next configuration of a model. Fails with InvalidArgument (QUOTA_EXCEEDED). */
  replaceConfiguration(next: NextConfiguration, quotas: Quotas): Promise<void>;
  /** Changes fields of a model or deployment, and returns it. Fails with a duplicate key of the index of names. */
  updateTarget(target: ModelOrDeploymentDocument, fields: TargetFields): Promise<ModelOrDeploymentDocument>;
  /** Removes a deployment, and keeps its last name. */
  removeDeployment(deployment: DeploymentDocument, at: Date): Promise<void>;
  /**
   * Removes a model without deployments, and keeps its last name. Prevents the concurrent creation of deployments. Its schemas are removed
   * by `ModelRemoval`.
   */
  removeModel(model: ModelDocument, at: Date): Promise<void>;
  /** Removes the models of a project with their schemas and deployments, and keeps their last names, by `ModelRemoval`. */
  removeProjectModels(projectId: string, at: Date): Promise<void>;
}

/** Creates the records of models in a transaction. */
export function modelRecords(
  { models, schemas, deployments, deleted }: ConfigurationModels,
  removal: Pick<ModelRemoval, "begin">,
  usage: ModelUsage,
  session: ClientSession,
): ModelRecords {
  /** Counts what was added to an organization. */
  async function count(
    organizationId: string,
    added: { readonly models?: number; readonly schemaVersions?: number },
    quotas: Quotas,
  ): Promise<void> {
    requireQuota(quotas, await usage.change(organizationId, added, session), added);
  }

  return {
    model: async (id) => models.findOne({ _id: id }).session(session).lean<ModelDocument>(),
    schema: async (id) => schemas.findOne({ _id: id }).session(session).lean<SchemaDocument>(),
    deployment: async (id) => deployments.findOne({ _id: id }).session(session).lean<DeploymentDocument>(),
    listModelDeployments: async (modelId) =>
      deployments.find({ modelId }).sort({ _id: 1 }).session(session).lean<DeploymentDocument[]>(),
    async insertModel({ model, schema }, quotas) {
      await models.create([model], { session });
      if (schema !== null) await schemas.create([schema], { session });
      await count(model.organizationId, { models: 1, ...(schema === null ? {} : { schemaVersions: 1 }) }, quotas);
    },
    async insertDeployment(deployment) {
      // Writing the model makes this conflict with its deletion.
      await models.updateOne({ _id: deployment.modelId }, { $inc: { deploymentsMade: 1 } }, { session });
      await deployments.create([deployment], { session });
    },
    async replaceConfiguration({ model, schema }, quotas) {
      if (schema !== null) await schemas.create([schema], { session });
      const { schemaId, version, tableCount, draft, updatedAt } = model;
      const change = { $set: { schemaId, version, tableCount, draft, updatedAt } };
      await models.updateOne({ _id: model._id }, change, { session });
      if (schema !== null) await count(model.organizationId, { schemaVersions: 1 }, quotas);
    },
    async updateTarget(target, fields) {
      const { _id } = target.document;
      if (target.kind === "model") {
        const { schemaId: _none, ...own } = fields;
        await models.updateOne({ _id }, { $set: own }, { session });
        return { kind: "model", document: { ...target.document, ...own } };
      }
      await deployments.updateOne({ _id }, { $set: fields }, { session });
      return { kind: "deployment", document: { ...target.document, ...fields } };
    },
    async removeDeployment(deployment, at) {
      await deployments.deleteOne({ _id: deployment._id }, { session });
      await deleted.create([createDeletedDocument(deployment, at)], { session });
    },
    async removeModel(model, at) {
      await models.deleteOne({ _id: model._id }, { session });
      await usage.change(model.organizationId, { models: -1 }, session);
      await deleted.create([createDeletedDocument(model, at)], { session });
      await removal.begin({ field: "modelId", id: model._id }, at, session);
    },
    removeProjectModels: (projectId, at) => removal.begin({ field: "projectId", id: projectId }, at, session),
  };
}
