import type { CellResult, FileResultSummary } from "@switchyard/client";

/** Which files of a run are listed. */
export type Shown = "" | "errors" | "failed" | "left-out";

/** Whether an outcome counts as an error. */
export function isError({ outcome }: Pick<CellResult, "outcome">): boolean {
  return outcome === "WRONG" || outcome === "INVENTED" || outcome === "MISSING";
}

/** Returns the files that are to be shown, the worst first: failed ones, then by accuracy, and those that were left out at the end. */
export function toWorstFirst(files: readonly FileResultSummary[], shown: Shown = ""): FileResultSummary[] {
  const rank = ({ status }: FileResultSummary): number => (status === "FAILED" ? 0 : status === "SCORED" ? 1 : 2);
  return files
    .filter((file) => isShown(file, shown))
    .sort(
      (one, other) =>
        rank(one) - rank(other) ||
        (one.successRate ?? 0) - (other.successRate ?? 0) ||
        one.filename.localeCompare(other.filename, "en") ||
        (one.fileId < other.fileId ? -1 : 1),
    );
}

function isShown({ status, exact }: FileResultSummary, shown: Shown): boolean {
  switch (shown) {
    case "errors":
      return status === "FAILED" || (status === "SCORED" && !exact);
    case "failed":
      return status === "FAILED";
    case "left-out":
      return status === "LEFT_OUT";
    default:
      return true;
  }
}

/** Returns the IDs of the files before and after a file in a list. */
export function getNeighbors(
  files: readonly FileResultSummary[],
  fileId: string,
): { previous: string | undefined; next: string | undefined } {
  const index = files.findIndex((file) => file.fileId === fileId);
  return index < 0
    ? { previous: undefined, next: undefined }
    : { previous: files[index - 1]?.fileId, next: files[index + 1]?.fileId };
}
