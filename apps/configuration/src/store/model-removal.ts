import type { Storage } from "@switchyard/storage";
import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";
import { configurationModels } from "./configuration-documents.ts";
import type { DeletedDocument, DeploymentDocument, ModelDocument, SchemaDocument } from "./configuration-documents.ts";
import { createModelUsage } from "./model-usage.ts";
import { registeredModel } from "./registered-model.ts";

/** The number of documents that one transaction removes. A commit of this size takes the embedded store a few milliseconds. */
const batchSize = 300;

/**
 * The removal of what belonged to a deleted project or model. A large one takes several transactions: the first is that of the deletion.
 * What remains after it is out of reach, because every access looks up the project or the model first.
 */
export interface ModelRemoval {
  /** Removes a first batch in the transaction of the deletion, and records what remains. Last names are kept. */
  begin(owner: RemovalOwner, at: Date, session: ClientSession): Promise<void>;
  /** Removes what remains of all deletions, including those that a crash interrupted. It is idempotent. */
  finish(): Promise<void>;
}

/** The deleted object: a project with its models, deployments and schemas, or a model without deployments with its schemas. */
export interface RemovalOwner {
  readonly field: "projectId" | "modelId";
  readonly id: string;
}

interface RemovalDocument {
  /** The id of the deleted project or model. */
  _id: string;
  field: RemovalOwner["field"];
  at: Date;
}

/** Creates the removal in a service's database. Call it before the storage is made ready. */
export function createModelRemoval({ connection, atomically }: Storage): ModelRemoval {
  const { models, deployments, schemas, deleted } = configurationModels(connection);
  const usage = createModelUsage(connection);
  const removals = removalModel(connection);

  return {
    async begin({ field, id }, at, session) {
      const removal = { _id: id, field, at };
      if (!(await removeBatch(removal, session))) await removals.create([removal], { session });
    },
    async finish() {
      for await (const removal of removals.find().lean<RemovalDocument>().cursor()) {
        while (!(await atomically((session) => removeBatch(removal, session))));
        await removals.deleteOne({ _id: removal._id });
      }
    },
  };

  /** Removes at most `batchSize` documents. Returns whether none remain. */
  async function removeBatch({ _id, field, at }: RemovalDocument, session: ClientSession): Promise<boolean> {
    const filter = { [field]: _id };
    let room = batchSize;
    // The models are removed first. Creating a deployment or a schema writes the model, so none can be created afterwards.
    for (const targets of field === "projectId" ? [models, deployments] : []) {
      room -= await removeTargets(targets as Model<ModelDocument | DeploymentDocument>);
      if (room === 0) return false;
    }
    const fields = { _id: 1, organizationId: 1 };
    const found = await schemas
      .find(filter, fields)
      .limit(room)
      .session(session)
      .lean<Pick<SchemaDocument, "_id" | "organizationId">[]>();
    const [first] = found;
    if (first === undefined) return true;
    await schemas.deleteMany(withIds(found), { session });
    await usage.change(first.organizationId, { schemaVersions: -found.length }, session);
    return found.length < room;

    async function removeTargets(targets: Model<ModelDocument | DeploymentDocument>): Promise<number> {
      const removed = await targets.find(filter).limit(room).session(session).lean<ModelDocument[]>();
      const [first] = removed;
      if (first === undefined) return 0;
      // Routes of global classifiers show the last names of their targets.
      await deleted.insertMany(
        removed.map((target) => createDeletedDocument(target, at)),
        { session },
      );
      await targets.deleteMany(withIds(removed), { session });
      if (targets.modelName === models.modelName) {
        await usage.change(first.organizationId, { models: -removed.length }, session);
      }
      return removed.length;
    }
  }
}

/** Creates the record of a deleted model or deployment. */
export function createDeletedDocument(
  { _id, organizationId, name }: ModelDocument | DeploymentDocument,
  deletedAt: Date,
): DeletedDocument {
  return { _id, organizationId, name, deletedAt };
}

function withIds(documents: readonly { readonly _id: string }[]): { _id: { $in: string[] } } {
  return { _id: trusted({ $in: documents.map(({ _id }) => _id) }) };
}

function removalModel(connection: Connection): Model<RemovalDocument> {
  const text = { type: String, required: true } as const;
  const moment = { type: Date, required: true } as const;
  return registeredModel(
    connection,
    "removals",
    () => new Schema<RemovalDocument>({ _id: text, field: text, at: moment }, { versionKey: false }),
  );
}
