import type { Logger } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Storage, Sweep } from "@switchyard/storage";
import type { BlobRemoval, RemovalCandidate } from "../../store/blobs/blob-removal.ts";
import type { FileStore } from "../../store/files.ts";
import type { TextStore } from "../../store/texts.ts";
import type { ServiceSettings } from "../settings.ts";

/** The dependencies of the removal of expired files. */
export interface ExpiryDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  unused: BlobRemoval;
  texts: TextStore;
  logger: Pick<Logger, "error">;
  now: () => number;
  settings: Pick<ServiceSettings, "cleanupIntervalMs">;
}

/** The number of files that are found by one query. */
const batch = 100;

/** Removes a file without a project if its retention period has ended by this time. */
type FileExpiry = (id: string, time: Date) => Promise<void>;

/** Creates the removal of files without a project. Their bytes are removed later, unless another file has the same. */
export function createFileExpiry({
  storage,
  files,
  unused,
}: {
  storage: Pick<Storage, "atomically">;
  files: Pick<FileStore, "removeExpired" | "refersTo">;
  unused: Pick<BlobRemoval, "release">;
}): FileExpiry {
  return (id, time) =>
    storage.atomically(async (session) => {
      const removed = await files.removeExpired(id, time, session);
      if (removed === null) return;
      await unused.release(removed.sha256, await files.refersTo(removed.sha256, session), session);
    });
}

/** Creates the removal of files without a project whose retention period has ended, and of bytes and texts without files. */
export function createExpiry({ storage, files, unused, texts, logger, now, settings }: ExpiryDependencies): Sweep {
  const expireFile = createFileExpiry({ storage, files, unused });

  async function review(blob: RemovalCandidate): Promise<void> {
    if (!blob.isMarked) {
      await ((await files.refersTo(blob.sha256)) ? unused.retain(blob) : unused.markForRemoval(blob));
      return;
    }
    await storage.atomically(async (session) => {
      if (await files.refersTo(blob.sha256, session)) await unused.retain(blob, session);
      else if (await unused.remove(blob, session)) await texts.removeAll(blob.sha256, session);
    });
  }

  return createSweep({
    intervalMs: settings.cleanupIntervalMs,
    onError: (error) => logger.error({ err: error }, "removal of expired files failed"),
    async work() {
      const time = new Date(now());
      for (let found = batch; found === batch;) {
        const expired = await files.expired(time, batch);
        for (const { _id } of expired) await expireFile(_id, time);
        found = expired.length;
      }
      for (let found = batch; found === batch;) {
        const candidates = await unused.findCandidates(batch);
        for (const blob of candidates) await review(blob);
        found = candidates.length;
      }
    },
  });
}
