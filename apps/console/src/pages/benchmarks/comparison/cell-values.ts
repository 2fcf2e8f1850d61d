import type { CellResult, ComparedCell, FileResult } from "@switchyard/client";
import { useQueries } from "@tanstack/react-query";
import { useSession } from "../../../session/session.ts";

/** What two runs extracted for a cell, and what was accepted. Undefined until the results of its file are there. */
export interface CellValues {
  readonly filename: string | undefined;
  readonly expected: unknown;
  readonly before: unknown;
  readonly after: unknown;
}

/** The values of cells in two runs, in the order of the cells. Each file is requested once for each run. */
export function useCellValues(
  cells: readonly ComparedCell[],
  baselineId: string,
  candidateId: string,
): readonly CellValues[] {
  const { client } = useSession();
  const fileIds = [...new Set(cells.map(({ fileId }) => fileId))];
  const ofRun = (executionId: string) =>
    fileIds.map((fileId) => ({
      queryKey: ["getFileResult", { executionId, fileId }],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.getFileResult({ executionId, fileId }, { signal }),
      staleTime: Infinity,
    }));
  const before = useQueries({ queries: ofRun(baselineId) });
  const after = useQueries({ queries: ofRun(candidateId) });
  return cells.map((cell) => {
    const index = fileIds.indexOf(cell.fileId);
    const candidate = after[index]?.data;
    const found = findCell(candidate, cell);
    const foundBefore = findCell(before[index]?.data, cell);
    return {
      filename: candidate?.filename,
      expected: found?.expected ?? foundBefore?.expected,
      before: foundBefore?.actual,
      after: found?.actual,
    };
  });
}

function findCell(result: FileResult | undefined, { table, row, column }: ComparedCell): CellResult | undefined {
  return result?.cells.find((cell) => cell.table === table && cell.row === row && cell.column === column);
}
