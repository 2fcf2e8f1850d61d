import type { Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import { configurationModels } from "./configuration-documents.ts";
import type { DeletedDocument, DeploymentDocument, ModelDocument } from "./configuration-documents.ts";

/** What became of a deletion. */
export type DeletionOutcome = "deleted" | "gone" | "has-deployments";

/** Deletes models and deployments. What was deleted keeps its last name, for the routes that still point to it. */
export interface DeletionStore {
  /** Deletes a deployment. */
  deleteDeployment(id: string, at: Date): Promise<DeletionOutcome>;
  /** Deletes a model and all its schemas, unless it has deployments; none can be made meanwhile. */
  deleteModel(id: string, at: Date): Promise<DeletionOutcome>;
  /** The last names of those of these models and deployments that were deleted, by id. */
  lastNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The deletions of a service's database. */
export function createDeletionStore({ connection, atomically }: Storage): DeletionStore {
  const { models, schemas, deployments, deleted } = configurationModels(connection);

  return {
    deleteDeployment: (id, at) =>
      atomically(async (session) => {
        const deployment = await deployments.findOneAndDelete({ _id: id }, { session }).lean<DeploymentDocument>();
        if (deployment === null) return "gone";
        await deleted.create([memoryOf(deployment, at)], { session });
        return "deleted";
      }),
    deleteModel: (id, at) =>
      atomically(async (session) => {
        // Making a deployment writes its model, so it cannot come between this look and the end of the transaction.
        if ((await deployments.findOne({ modelId: id }).session(session).lean()) !== null) {
          return (await models.findOne({ _id: id }).session(session).lean()) === null ? "gone" : "has-deployments";
        }
        const model = await models.findOneAndDelete({ _id: id }, { session }).lean<ModelDocument>();
        if (model === null) return "gone";
        await schemas.deleteMany({ modelId: id }, { session });
        await deleted.create([memoryOf(model, at)], { session });
        return "deleted";
      }),
    async lastNames(ids) {
      if (ids.length === 0) return new Map();
      const found = await deleted.find({ _id: trusted({ $in: [...new Set(ids)] }) }).lean<DeletedDocument[]>();
      return new Map(found.map(({ _id, name }) => [_id, name]));
    },
  };
}

/** What stays of a model or deployment that was deleted. */
export function memoryOf(
  { _id, organizationId, name }: ModelDocument | DeploymentDocument,
  deletedAt: Date,
): DeletedDocument {
  return { _id, organizationId, name, deletedAt };
}
