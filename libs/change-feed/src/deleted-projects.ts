import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";

/** A project whose contents are to be removed. */
export interface DeletedProject {
  projectId: string;
  organizationId: string;
}

/**
 * The deleted projects that a service knows of, kept for ever. Nothing may be written into one: whoever writes into a project asks
 * `has` in the same transaction. A transaction that began before the deletion was known can still commit after it, so contents are
 * removed again and again until every such transaction is over.
 */
export interface DeletedProjects {
  /** Within a transaction: whether the project is deleted. */
  has(projectId: string, session: ClientSession): Promise<boolean>;
  /** Notes a deletion, which makes a removal of its contents due at once. Nothing happens when it is known. */
  add(project: DeletedProject, now: Date): Promise<void>;
  /** Projects whose contents are to be removed (again) now, the longest due first. */
  due(now: Date, limit: number): Promise<DeletedProject[]>;
  /** Notes that a removal that began at `began` is done. */
  removed(projectId: string, began: Date): Promise<void>;
  /** Notes that a removal failed: it is due again, but behind others. */
  failed(projectId: string, now: Date): Promise<void>;
}

interface DeletedProjectDocument {
  _id: string;
  organizationId: string;
  /** When this service learned of it. */
  knownAt: Date;
  /** When the next removal is due; absent when there is nothing left that could come back. */
  dueAt?: Date;
}

/** After how long no transaction is left that could not see the deletion: they live for 60 s, and clocks may differ. */
const settledMs = 120_000;
const minPauseMs = 1_000;
const retryMs = 2_000;

/** Creates the deleted projects of a service's database, before it is made ready. */
export function createDeletedProjects(connection: Connection): DeletedProjects {
  const projects = deletedProjectModel(connection);
  return {
    has: async (projectId, session) => (await projects.findById(projectId, null, { session }).lean()) !== null,
    async add({ projectId, organizationId }, now) {
      const noted = { organizationId, knownAt: now, dueAt: now };
      await projects.updateOne({ _id: projectId }, { $setOnInsert: noted }, { upsert: true });
    },
    async due(now, limit) {
      const found = await projects
        .find({ dueAt: trusted({ $lte: now }) })
        .sort({ dueAt: 1 })
        .limit(limit)
        .lean<DeletedProjectDocument[]>();
      return found.map(({ _id, organizationId }) => ({ projectId: _id, organizationId }));
    },
    async removed(projectId, began) {
      const project = await projects.findById(projectId).lean<DeletedProjectDocument>();
      if (project === null) return;
      const age = began.getTime() - project.knownAt.getTime();
      const next =
        age >= settledMs
          ? { $unset: { dueAt: 1 } }
          : { $set: { dueAt: new Date(began.getTime() + Math.max(minPauseMs, age)) } };
      await projects.updateOne({ _id: projectId }, next);
    },
    async failed(projectId, now) {
      await projects.updateOne({ _id: projectId }, { $set: { dueAt: new Date(now.getTime() + retryMs) } });
    },
  };
}

function deletedProjectModel(connection: Connection): Model<DeletedProjectDocument> {
  const schema = new Schema<DeletedProjectDocument>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      knownAt: { type: Date, required: true },
      dueAt: Date,
    },
    { versionKey: false },
  );
  schema.index({ dueAt: 1 }, { sparse: true });
  return connection.model<DeletedProjectDocument>("DeletedProject", schema, "deleted_projects");
}
