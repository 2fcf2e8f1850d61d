import type { ProjectContents } from "@switchyard/change-feed";
import type { LeaseWorker, Storage } from "@switchyard/storage";
import type { AcceptedStore } from "../store/accepted.ts";
import type { BlobRemoval } from "../store/blobs/blob-removal.ts";
import type { ExtractionStore } from "../store/extractions.ts";
import type { FileStore } from "../store/files.ts";
import type { JobStore } from "../store/jobs.ts";
import type { CurrentValuesStore } from "../store/values/current-values.ts";
import type { ReviewThresholdStore } from "../store/values/review-thresholds.ts";
import type { Learning } from "./learning/learning.ts";

/** The dependencies of the removal. */
export interface ProjectContentsDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  accepted: AcceptedStore;
  currentValues: CurrentValuesStore;
  reviewThresholds: Pick<ReviewThresholdStore, "removeProject">;
  unused: BlobRemoval;
  extractions: ExtractionStore;
  jobs: Pick<JobStore, "removeProject">;
  worker: Pick<LeaseWorker, "abandon">;
  learning: Pick<Learning, "forget">;
  /** Removes unreferenced bytes that are due. */
  cleanBytes: () => Promise<void>;
}

/** The maximum number of documents that one step removes. */
const batch = 100;

/**
 * Creates the contents of projects in this service: files with their accepted values, the bytes that no other file has, extractions,
 * and jobs.
 */
export function createProjectContents(dependencies: ProjectContentsDependencies): ProjectContents {
  const { storage, files, accepted, currentValues, reviewThresholds, unused, extractions } = dependencies;
  const { jobs, worker, learning, cleanBytes } = dependencies;

  /** Removes a batch of files and releases their bytes in one transaction. Returns false if none was left. */
  async function removeFiles(projectId: string): Promise<boolean> {
    return storage.atomically(async (session) => {
      const removed = await files.removeSome(projectId, batch, session);
      for (const sha256 of new Set(removed.map((file) => file.sha256))) {
        await unused.release(sha256, await files.refersTo(sha256, session), session);
      }
      return removed.length > 0;
    });
  }

  return {
    async removeProject({ projectId }) {
      let removed = false;
      // Jobs come first, because they create extractions.
      for (const jobId of await jobs.removeProject(projectId)) worker.abandon(jobId);
      while (await removeFiles(projectId)) removed = true;
      // Without files, no values can be accepted any more, and no extraction adds current values.
      await accepted.removeProject(projectId);
      await currentValues.removeProject(projectId);
      await reviewThresholds.removeProject(projectId);
      learning.forget(projectId);
      while ((await extractions.removeSome(projectId, batch)) === batch);
      if (removed) await cleanBytes();
    },
  };
}
