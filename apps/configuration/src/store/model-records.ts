import type { ClientSession } from "mongoose";
import type {
  ConfigurationModels,
  DeletedDocument,
  DeploymentDocument,
  ModelDocument,
  SchemaDocument,
  StoredStatus,
} from "./configuration-documents.ts";
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
  status?: StoredStatus;
  updatedAt: Date;
}

/** What changes of models and deployments read and write in their transaction; one thing after the other. */
export interface ModelRecords {
  model(id: string): Promise<ModelDocument | null>;
  schema(id: string): Promise<SchemaDocument | null>;
  deployment(id: string): Promise<DeploymentDocument | null>;
  /** The deployments of a model, in order of creation. */
  listModelDeployments(modelId: string): Promise<DeploymentDocument[]>;
  /** Stores a model and, if it has one, its first schema. Fails with a duplicate key of the index of model names. */
  insertModel(next: NextConfiguration): Promise<void>;
  /** Stores a deployment of a model that cannot be deleted meanwhile. Fails with a duplicate key of the index of deployment names. */
  insertDeployment(deployment: DeploymentDocument): Promise<void>;
  /** Gives a model its next configuration, and stores the schema if there is one. */
  replaceConfiguration(next: NextConfiguration): Promise<void>;
  /** Sets fields of what is there; answers it as it is then. Fails with a duplicate key of the index of names. */
  updateTarget(target: ModelOrDeploymentDocument, fields: TargetFields): Promise<ModelOrDeploymentDocument>;
  /** Removes a deployment, but for its last name. */
  removeDeployment(deployment: DeploymentDocument, at: Date): Promise<void>;
  /** Removes a model without deployments and all its schemas, but for its last name; no deployment can be made meanwhile. */
  removeModel(model: ModelDocument, at: Date): Promise<void>;
  /** Removes all models of a project with their schemas and deployments, but for their last names. */
  removeProjectModels(projectId: string, at: Date): Promise<void>;
}

/** The records of models in a transaction. */
export function modelRecords(
  { models, schemas, deployments, deleted }: ConfigurationModels,
  session: ClientSession,
): ModelRecords {
  return {
    model: async (id) => models.findOne({ _id: id }).session(session).lean<ModelDocument>(),
    schema: async (id) => schemas.findOne({ _id: id }).session(session).lean<SchemaDocument>(),
    deployment: async (id) => deployments.findOne({ _id: id }).session(session).lean<DeploymentDocument>(),
    listModelDeployments: async (modelId) =>
      deployments.find({ modelId }).sort({ _id: 1 }).session(session).lean<DeploymentDocument[]>(),
    async insertModel({ model, schema }) {
      await models.create([model], { session });
      if (schema !== null) await schemas.create([schema], { session });
    },
    async insertDeployment(deployment) {
      // A write of the model, so that its deletion gets in the way.
      await models.updateOne({ _id: deployment.modelId }, { $inc: { deploymentsMade: 1 } }, { session });
      await deployments.create([deployment], { session });
    },
    async replaceConfiguration({ model, schema }) {
      if (schema !== null) await schemas.create([schema], { session });
      const { schemaId, version, tableCount, draft, updatedAt } = model;
      const change = { $set: { schemaId, version, tableCount, draft, updatedAt } };
      await models.updateOne({ _id: model._id }, change, { session });
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
      await schemas.deleteMany({ modelId: model._id }, { session });
      await deleted.create([createDeletedDocument(model, at)], { session });
    },
    async removeProjectModels(projectId, at) {
      // Routes of global classifiers into the project still show the last names of what they led to.
      const targets = [
        ...(await models.find({ projectId }).session(session).lean<ModelDocument[]>()),
        ...(await deployments.find({ projectId }).session(session).lean<DeploymentDocument[]>()),
      ];
      const memories = targets.map((target) => createDeletedDocument(target, at));
      if (memories.length > 0) await deleted.insertMany(memories, { session });
      await deployments.deleteMany({ projectId }, { session });
      await schemas.deleteMany({ projectId }, { session });
      await models.deleteMany({ projectId }, { session });
    },
  };
}

/** What stays of a model or deployment that was deleted. */
function createDeletedDocument(
  { _id, organizationId, name }: ModelDocument | DeploymentDocument,
  deletedAt: Date,
): DeletedDocument {
  return { _id, organizationId, name, deletedAt };
}
