import type { ColumnMetrics, Configuration, FileResultSummary } from "@switchyard/client";
import { columnRows } from "./column-rows.ts";
import { getNeighbors, isError, toWorstFirst } from "./order.ts";

function file(fileId: string, status: FileResultSummary["status"], successRate: number | null): FileResultSummary {
  const none = { error: null, outcomes: null, anls: null, extractMs: null, excludedFileIds: [], usage: null };
  return { fileId, filename: `${fileId}.pdf`, status, successRate, exact: successRate === 1, ...none };
}

const files = [
  file("left", "LEFT_OUT", null),
  file("good", "SCORED", 1),
  file("bad", "SCORED", 0.2),
  file("also-bad", "SCORED", 0.2),
  file("failed", "FAILED", 0),
];

describe("the files of a run", () => {
  it("are listed with the worst first", () => {
    const ids = toWorstFirst(files).map(({ fileId }) => fileId);
    expect(ids).toEqual(["failed", "also-bad", "bad", "good", "left"]);
    expect(getNeighbors(toWorstFirst(files), "bad")).toEqual({ previous: "also-bad", next: "good" });
    expect(getNeighbors(files, "unknown")).toEqual({ previous: undefined, next: undefined });
  });

  it("are filtered by what happened", () => {
    const shown = (["errors", "failed", "left-out"] as const).map((each) => toWorstFirst(files, each).length);
    expect(shown).toEqual([3, 1, 1]);
  });

  it("have errors in cells that are wrong, invented or missing", () => {
    const outcomes = ["CORRECT", "CORRECTLY_EMPTY", "WRONG", "INVENTED", "MISSING"] as const;
    expect(outcomes.map((outcome) => isError({ outcome }))).toEqual([false, false, true, true, true]);
  });
});

describe("the columns of a run", () => {
  it("include those that are excluded, in the order of the configuration", () => {
    const configuration = {
      tables: [{ id: "t", slug: "invoice" }],
      columns: [
        { id: "a", tableId: "t", slug: "total", name: "Total", excludedFromExtraction: false },
        { id: "b", tableId: "t", slug: "note", name: "", excludedFromExtraction: true },
      ],
    } as unknown as Configuration;
    const metrics = [{ columnId: "a", successRate: 0.5 }] as unknown as ColumnMetrics[];
    expect(columnRows(configuration, metrics)).toEqual([
      { table: "invoice", column: "total", name: "Total", isExcluded: false, metrics: metrics[0] },
      { table: "invoice", column: "note", name: "", isExcluded: true, metrics: undefined },
    ]);
    expect(columnRows(null, metrics)).toEqual([]);
  });
});
