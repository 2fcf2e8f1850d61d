import { createSweep } from "@switchyard/storage";
import type { Sweep } from "@switchyard/storage";
import type { Dependencies } from "../dependencies.ts";

/** What was learned from a file is removed at the latest 10 s after the file. */
const intervalMs = 3_000;

/** Creates the sweep that removes what was learned from deleted files. */
export function createForgetting(
  { reviews, documents }: Pick<Dependencies, "reviews" | "documents">,
  onError: (error: unknown) => void,
): Sweep {
  return createSweep({
    intervalMs,
    onError,
    async work() {
      for (;;) {
        const { fileIds } = await documents.listDeletedFiles({});
        if (fileIds.length === 0) return;
        await reviews.forgetFiles(fileIds);
        await documents.acknowledgeDeletedFiles({ fileIds });
      }
    },
  });
}
