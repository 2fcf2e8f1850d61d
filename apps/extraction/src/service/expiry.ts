import type { Logger } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Storage, Sweep } from "@switchyard/storage";
import type { BlobStore } from "../store/blobs.ts";
import type { FileStore } from "../store/files.ts";
import type { TextStore } from "../store/texts.ts";
import type { ServiceSettings } from "./settings.ts";

/** What the removal of old files needs. */
export interface ExpiryDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  blobs: BlobStore;
  texts: TextStore;
  logger: Pick<Logger, "error">;
  now: () => number;
  settings: Pick<ServiceSettings, "cleanMs" | "blobGraceMs">;
}

/** How many are looked up at once. */
const batch = 100;

/** Removes files without a project whose time is over, and bytes and texts to which no file refers any more. */
export function createExpiry({ storage, files, blobs, texts, logger, now, settings }: ExpiryDependencies): Sweep {
  async function removeFile(id: string, sha256: string, time: Date): Promise<void> {
    await storage.atomically(async (session) => {
      if (!(await files.removeExpired(id, time, session))) return;
      if (!(await files.refersTo(sha256, session))) await blobs.release(sha256, session);
    });
  }

  async function removeBytes(sha256: string, before: Date): Promise<void> {
    await storage.atomically(async (session) => {
      if (await blobs.remove(sha256, before, session)) await texts.removeAll(sha256, session);
    });
  }

  return createSweep({
    intervalMs: settings.cleanMs,
    onError: (error) => logger.error({ err: error }, "removing old files failed"),
    async work() {
      const time = new Date(now());
      for (let found = batch; found === batch;) {
        const expired = await files.expired(time, batch);
        for (const { _id, sha256 } of expired) await removeFile(_id, sha256, time);
        found = expired.length;
      }
      const before = new Date(time.getTime() - settings.blobGraceMs);
      for (let found = batch; found === batch;) {
        const idle = await blobs.idle(before, batch);
        for (const sha256 of idle) await removeBytes(sha256, before);
        found = idle.length;
      }
    },
  });
}
