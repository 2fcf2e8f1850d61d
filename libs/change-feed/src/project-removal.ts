import type { Connection } from "mongoose";
import { createSweep } from "@switchyard/storage";
import { createChangeReader } from "./change-reader.ts";
import type { ChangeReader, ChangeSource } from "./change-reader.ts";
import type { DeletedProject, DeletedProjects } from "./deleted-projects.ts";

/** What a service keeps of projects. */
export interface ProjectContents {
  /**
   * Removes everything of a project that is there now, in whatever steps; repeating it is harmless. What is written into the
   * project meanwhile may stay.
   */
  removeProject(project: DeletedProject): Promise<void>;
}

/** What the removal needs. */
export interface ProjectRemovalOptions {
  connection: Connection;
  source: ChangeSource;
  deletedProjects: DeletedProjects;
  contents: ProjectContents;
  onError: (error: unknown) => void;
  now?: () => Date;
  /** How often it looks for what is due, in milliseconds. */
  intervalMs?: number;
}

const batch = 100;

/**
 * Removes the contents of projects once the configuration service has deleted them, also of those that it deleted while this service
 * did not run. The deletion is noted before the position in the feed moves on, and the removal follows from the note: what a crash
 * cuts off is done by the next start. To be created before the storage is made ready.
 */
export function createProjectRemoval(options: ProjectRemovalOptions): ChangeReader {
  const { connection, source, deletedProjects, contents, onError, now = () => new Date(), intervalMs = 500 } = options;

  async function remove(project: DeletedProject): Promise<void> {
    const began = now();
    try {
      await contents.removeProject(project);
      await deletedProjects.removed(project.projectId, began);
    } catch (error) {
      // One that cannot be removed must not hold up the others.
      onError(error);
      await deletedProjects.failed(project.projectId, now());
    }
  }

  const sweep = createSweep({
    intervalMs,
    onError,
    async work() {
      for (const project of await deletedProjects.due(now(), batch)) await remove(project);
    },
  });

  const reader = createChangeReader({
    connection,
    source,
    onError,
    async take({ value: { projectId, organizationId } }) {
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
