import { createSweep, maxIdsPerLoad, splitChunks } from "@switchyard/storage";
import type { Sweep } from "@switchyard/storage";
import type { Dependencies } from "../dependencies.ts";

/** What was learned from a file is removed at the latest 10 s after the file. */
const intervalMs = 3_000;

/**
 * Creates the sweep that removes what was learned from deleted files. Its rounds become rare if `isReported`: it is then touched after every
 * deletion.
 */
export function createForgetting(
  { reviews, documents, isReported }: Pick<Dependencies, "reviews" | "documents"> & { readonly isReported: boolean },
  onError: (error: unknown) => void,
): Sweep {
  return createSweep({
    intervalMs,
    onError,
    idles: () => isReported,
    async work() {
      for (;;) {
        const { fileIds } = await documents.listDeletedFiles({});
        if (fileIds.length === 0) return;
        for (const some of splitChunks(fileIds, maxIdsPerLoad)) {
          await reviews.forgetFiles(some);
          await documents.acknowledgeDeletedFiles({ fileIds: some });
        }
      }
    },
  });
}
