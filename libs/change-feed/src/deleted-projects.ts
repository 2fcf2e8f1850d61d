import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";

/** A deleted project whose data is to be removed. */
export interface DeletedProject {
  projectId: string;
  organizationId: string;
}

/**
 * The deleted projects that a service knows of. They are kept forever. Code that writes into a project must check `has` right before the
 * write, or in the same transaction. A write whose check came before the deletion was recorded may still follow, so the removal is repeated
 * until no such write is possible any more.
 */
export interface DeletedProjects {
  /** Reports, within a transaction if there is one, whether the project is deleted. */
  has(projectId: string, session?: ClientSession): Promise<boolean>;
  /** Records a deletion, which makes the removal due at once. Does nothing if it is already recorded. */
  add(project: DeletedProject, now: Date): Promise<void>;
  /** Lists the projects whose data is due to be removed, or removed again, longest due first. */
  due(now: Date, limit: number): Promise<DeletedProject[]>;
  /** Returns when the next removal is due; undefined if none is. */
  getNextDueAt(): Promise<Date | undefined>;
  /** Records that the removal that started at `startedAt` has succeeded. */
  removed(projectId: string, startedAt: Date): Promise<void>;
  /** Records that a removal has failed. It is retried after the others. */
  failed(projectId: string, now: Date): Promise<void>;
}

interface DeletedProjectDocument {
  _id: string;
  organizationId: string;
  /** The time at which this service learned of the deletion. */
  knownAt: Date;
  /** The time of the next removal; absent when no more data can appear. */
  dueAt?: Date;
}

/** The time after which no transaction can have missed the deletion: they last up to 60 s, plus clock skew. */
const settledMs = 120_000;
const minDelayMs = 1_000;
/** The latest time that a Date can have. */
const endOfTime = new Date(8.64e15);
const retryDelayMs = 2_000;

/**
 * Creates the deleted projects of a service's database. Call it before the storage is made ready. `exclusive` means that no other process
 * uses the database, so that the IDs of deleted projects can be kept in memory.
 */
export function createDeletedProjects(connection: Connection, exclusive = false): DeletedProjects {
  const projects = deletedProjectModel(connection);
  const loadKnown = createOnce(async () => {
    const found = await projects.find({}, { _id: 1 }).lean<Pick<DeletedProjectDocument, "_id">[]>();
    return new Set(found.map(({ _id }) => _id));
  });
  return {
    async has(projectId, session) {
      // A deletion that is recorded in the meantime may be missed, as in a transaction that began earlier.
      if (exclusive) return (await loadKnown()).has(projectId);
      return (await projects.findById(projectId, null, session === undefined ? {} : { session }).lean()) !== null;
    },
    async add({ projectId, organizationId }, now) {
      const inserted = { organizationId, knownAt: now, dueAt: now };
      await projects.updateOne({ _id: projectId }, { $setOnInsert: inserted }, { upsert: true });
      if (exclusive) (await loadKnown()).add(projectId);
    },
    async due(now, limit) {
      const found = await projects
        .find({ dueAt: trusted({ $lte: now }) })
        .sort({ dueAt: 1 })
        .limit(limit)
        .lean<DeletedProjectDocument[]>();
      return found.map(({ _id, organizationId }) => ({ projectId: _id, organizationId }));
    },
    async getNextDueAt() {
      const next = await projects
        .findOne({ dueAt: trusted({ $lte: endOfTime }) })
        .sort({ dueAt: 1 })
        .lean<DeletedProjectDocument>();
      return next?.dueAt;
    },
    async removed(projectId, startedAt) {
      const project = await projects.findById(projectId).lean<DeletedProjectDocument>();
      if (project === null) return;
      const age = startedAt.getTime() - project.knownAt.getTime();
      const next =
        age >= settledMs
          ? { $unset: { dueAt: 1 } }
          : { $set: { dueAt: new Date(startedAt.getTime() + Math.max(minDelayMs, age)) } };
      await projects.updateOne({ _id: projectId }, next);
    },
    async failed(projectId, now) {
      await projects.updateOne({ _id: projectId }, { $set: { dueAt: new Date(now.getTime() + retryDelayMs) } });
    },
  };
}

/** Returns a function that loads a value once, and again only if that failed. */
function createOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
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
