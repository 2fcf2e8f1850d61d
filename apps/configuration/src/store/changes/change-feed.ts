import { maxStreamWaitMs, type ChangeStream, type Storage } from "@switchyard/storage";
import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";
import { registeredModel } from "../registered-model.ts";

/** The number of days for which changes are kept. A reader that was disconnected for longer receives a snapshot. */
const daysKept = 30;

/** The deletion of a project. */
export interface ProjectDeletion {
  projectId: string;
  organizationId: string;
  at: Date;
}

/** A change with its position in the feed. */
export interface Change extends ProjectDeletion {
  /** The position. The first is 1, and each is one more than the one before. Changes are committed in this order. */
  position: number;
}

/** Reads the change feed. */
export interface ChangeFeed {
  /**
   * Returns the position of the last change, or 0 if there is none. All changes up to this position are visible, unless they are no longer
   * kept.
   */
  lastPosition(): Promise<number>;
  /** Returns at most `limit` changes after a position, in order. A gap means that changes are no longer kept. */
  changesAfter(position: number, limit: number): Promise<Change[]>;
  /** Returns at most `limit` of all projects that were ever deleted, ordered by id, after an id. */
  deletedProjects(afterId: string, limit: number): Promise<ProjectDeletion[]>;
}

interface CounterDocument {
  _id: string;
  position: number;
}

interface ChangeDocument extends ProjectDeletion {
  _id: number;
}

interface DeletedProjectDocument {
  _id: string;
  organizationId: string;
  at: Date;
}

interface FeedModels {
  counters: Model<CounterDocument>;
  changes: Model<ChangeDocument>;
  deletedProjects: Model<DeletedProjectDocument>;
}

/** The id of the counter. Every change increments it, which serializes concurrent changes. */
const counterId = "changes";

/** Creates the feed in a service's database. */
export function createChangeFeed({ connection }: Pick<Storage, "connection">): ChangeFeed {
  const { counters, changes, deletedProjects } = feedModels(connection);
  return {
    lastPosition: async () => (await counters.findById(counterId).lean<CounterDocument>())?.position ?? 0,
    async changesAfter(position, limit) {
      const found = await changes
        .find({ _id: trusted({ $gt: position }) })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<ChangeDocument[]>();
      return found.map(({ _id, ...deletion }) => ({ ...deletion, position: _id }));
    },
    async deletedProjects(afterId, limit) {
      const found = await deletedProjects
        .find({ _id: trusted({ $gt: afterId }) })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<DeletedProjectDocument[]>();
      return found.map(({ _id, ...document }) => ({ ...document, projectId: _id }));
    },
  };
}

/** Opens a change stream of the feed. */
export function watchChangeFeed(connection: Connection): ChangeStream {
  return feedModels(connection).changes.collection.watch([], { maxAwaitTimeMS: maxStreamWaitMs });
}

/** Creates a function that adds the deletion of a project to the feed, in the transaction that deletes it. */
export function createChangeAppender(
  connection: Connection,
): (deletion: ProjectDeletion, session: ClientSession) => Promise<void> {
  const { counters, changes, deletedProjects } = feedModels(connection);
  return async ({ projectId, organizationId, at }, session) => {
    const counter = await counters
      .findOneAndUpdate(
        { _id: counterId },
        { $inc: { position: 1 } },
        { upsert: true, returnDocument: "after", session },
      )
      .lean<CounterDocument>();
    if (counter === null) throw new Error("The feed has no counter");
    await changes.create([{ _id: counter.position, projectId, organizationId, at }], { session });
    await deletedProjects.create([{ _id: projectId, organizationId, at }], { session });
  };
}

function feedModels(connection: Connection): FeedModels {
  const text = { type: String, required: true } as const;
  const moment = { type: Date, required: true } as const;
  const count = { type: Number, required: true } as const;
  const options = { versionKey: false } as const;
  return {
    counters: registeredModel(
      connection,
      "counters",
      () => new Schema<CounterDocument>({ _id: text, position: count }, options),
    ),
    changes: registeredModel(connection, "changes", () =>
      new Schema<ChangeDocument>({ _id: count, projectId: text, organizationId: text, at: moment }, options).index(
        { at: 1 },
        { expireAfterSeconds: daysKept * 86_400 },
      ),
    ),
    deletedProjects: registeredModel(
      connection,
      "deleted_projects",
      () => new Schema<DeletedProjectDocument>({ _id: text, organizationId: text, at: moment }, options),
    ),
  };
}
