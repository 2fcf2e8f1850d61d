import type { Connection } from "mongoose";
import { createSweep } from "@switchyard/storage";
import { createChangeReader } from "./change-reader.ts";
import type { ChangeReader, ChangeSource } from "./change-reader.ts";
import type { DeletedProject, DeletedProjects } from "./deleted-projects.ts";

/** The data of projects in a service. */
export interface ProjectContents {
  /**
   * Deletes all current data of a project, in any number of steps. It is idempotent. Data that is written during the deletion may
   * remain.
   */
  removeProject(project: DeletedProject): Promise<void>;
}

/** The options of the project removal. */
export interface ProjectRemovalOptions {
  connection: Connection;
  source: ChangeSource;
  deletedProjects: DeletedProjects;
  contents: ProjectContents;
  onError: (error: unknown) => void;
  now?: () => Date;
  /** The interval at which it looks for due removals after a change, in milliseconds. It grows if there are none. */
  intervalMs?: number;
  /** Whether no other process uses the database. Otherwise, it looks at least every minute for what other replicas left. */
  exclusive?: boolean;
}

const batchSize = 100;
/** The maximum time between two rounds if other replicas may leave removals, in milliseconds. */
const maxPauseMs = 60_000;

/**
 * Creates the removal of the data of deleted projects, including those deleted while this service was not running. The deletion is
 * recorded before the position in the feed advances, so a removal that a crash interrupted continues after the next start. Create it
 * before the storage is made ready.
 */
export function createProjectRemoval(options: ProjectRemovalOptions): ChangeReader {
  const {
    connection,
    source,
    deletedProjects,
    contents,
    onError,
    now = () => new Date(),
    intervalMs = 10_000,
    exclusive = false,
  } = options;

  async function remove(project: DeletedProject): Promise<void> {
    const startedAt = now();
    try {
      await contents.removeProject(project);
      await deletedProjects.removed(project.projectId, startedAt);
    } catch (error) {
      // A project that cannot be removed must not block the others.
      onError(error);
      await deletedProjects.failed(project.projectId, now());
    }
  }

  async function getDueInMs(): Promise<number> {
    const nextDueAt = await deletedProjects.getNextDueAt();
    return nextDueAt === undefined ? Infinity : nextDueAt.getTime() - now().getTime();
  }

  const sweep = createSweep({
    intervalMs,
    idles: () => true,
    onError,
    async work() {
      let dueInMs = await getDueInMs();
      if (dueInMs <= 0) {
        for (const project of await deletedProjects.due(now(), batchSize)) await remove(project);
        dueInMs = await getDueInMs();
      }
      return exclusive ? dueInMs : Math.min(dueInMs, maxPauseMs);
    },
  });

  const reader = createChangeReader({
    connection,
    source,
    onError,
    async onChange({ value: { projectId, organizationId } }) {
      await deletedProjects.add({ projectId, organizationId }, now());
      void sweep.now();
    },
  });

  return {
    start() {
      void sweep.now();
      sweep.start();
      reader.start();
    },
    async stop() {
      await reader.stop();
      await sweep.stop();
    },
  };
}
