import mongoose from "mongoose";
import type { Model } from "mongoose";
import { toStatusName } from "./project-watch.ts";
import type { StoredEvent } from "./project-watch.ts";

/** The fields of a stored run, such as a job or an extraction, that its events consist of. */
interface RunDocument {
  _id: string;
  projectId: string;
  status: number;
  createdAt: Date;
  completedAt: Date | null;
}

/** Lists the events of the runs of a project from a time on, in order of their time. */
export interface RunEvents {
  listCreated(projectId: string, from: Date, limit: number): Promise<StoredEvent[]>;
  listEnded(projectId: string, from: Date, limit: number): Promise<StoredEvent[]>;
}

/** Creates the lists of a collection, whose indexes must begin with the project and the time. `statuses` is the enumeration of statuses. */
export function createRunEvents<Document extends RunDocument>(
  model: Model<Document>,
  statuses: Readonly<Record<string, number>>,
): RunEvents {
  const runs = model as unknown as Model<RunDocument>;
  return {
    async listCreated(projectId, from, limit) {
      const found = await runs
        .find({ projectId, createdAt: mongoose.trusted({ $gte: from }) }, { createdAt: 1 })
        .sort({ createdAt: 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id, createdAt }) => ({ id: _id, status: "RUNNING", at: createdAt }));
    },

    async listEnded(projectId, from, limit) {
      const found = await runs
        .find({ projectId, completedAt: mongoose.trusted({ $gte: from }) }, { status: 1, completedAt: 1 })
        .sort({ completedAt: 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id, status, completedAt }) => {
        return { id: _id, status: toStatusName(statuses, status), at: completedAt ?? from };
      });
    },
  };
}
