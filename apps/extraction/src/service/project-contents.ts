import type { ProjectContents } from "@switchyard/change-feed";
import type { Storage } from "@switchyard/storage";
import type { AcceptedStore } from "../store/accepted.ts";
import type { BlobRemoval } from "../store/blobs/blob-removal.ts";
import type { ExtractionStore } from "../store/extractions.ts";
import type { FileStore } from "../store/files.ts";

/** What the removal of projects needs. */
export interface ProjectContentsDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  accepted: AcceptedStore;
  unused: BlobRemoval;
  extractions: ExtractionStore;
  /** Removes bytes to which nobody refers any more, as far as their time has come. */
  cleanBytes: () => Promise<void>;
}

/** How much one step removes at most. */
const batch = 100;

/** What this service keeps of a project: its files with their accepted values, the bytes that no other file has, and its extractions. */
export function createProjectContents(dependencies: ProjectContentsDependencies): ProjectContents {
  const { storage, files, accepted, unused, extractions, cleanBytes } = dependencies;

  /** Removes some files and gives up their bytes, both or neither; false when there was none left. */
  async function removeFiles(projectId: string): Promise<boolean> {
    return storage.atomically(async (session) => {
      const hashes = await files.removeSome(projectId, batch, session);
      for (const sha256 of hashes) {
        await unused.release(sha256, await files.refersTo(sha256, session), session);
      }
      return hashes.length > 0;
    });
  }

  return {
    async removeProject({ projectId }) {
      let removed = false;
      while (await removeFiles(projectId)) removed = true;
      // Without its file, nothing is accepted any more.
      await accepted.removeProject(projectId);
      while ((await extractions.removeSome(projectId, batch)) === batch);
      if (removed) await cleanBytes();
    },
  };
}
