import type { Storage } from "@switchyard/storage";
import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** How long changes are kept, in days: a reader that was away for longer gets a snapshot. */
const daysKept = 30;

/** The deletion of a project. */
export interface ProjectDeletion {
  projectId: string;
  organizationId: string;
  at: Date;
}

/** A change at its place in the feed. */
export interface Change extends ProjectDeletion {
  /** From 1, each one more than the one before: they are committed in this order. */
  position: number;
}

/** The feed of changes, as its readers see it. */
export interface ChangeFeed {
  /** The position of the last change; 0 before the first. Every change up to it can be seen, unless it is no longer kept. */
  lastPosition(): Promise<number>;
  /** At most `limit` changes after a position, in order. A gap says that changes are no longer kept. */
  changesAfter(position: number, limit: number): Promise<Change[]>;
  /** At most `limit` of all projects that were ever deleted, in the order of their ids, after one of them. */
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

/** The one counter: whoever makes a change counts it up, so changes that are made at once come one after the other. */
const counterId = "changes";

/** The feed in a service's database. */
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

/** Creates what adds the deletion of a project to the feed, in the transaction that deletes it. */
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
