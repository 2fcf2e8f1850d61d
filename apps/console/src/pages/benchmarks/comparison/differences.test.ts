import type { ColumnComparison, Comparison, ExecutionSummary, MetricComparison } from "@switchyard/client";
import { findBaselines } from "./baselines.ts";
import { columnChanges, getScale, isDifferent, metricRows } from "./differences.ts";

function figures(delta: number | null, low = 0, high = 0): MetricComparison {
  const verdict = "INCONCLUSIVE";
  return { baseline: 0.5, candidate: 0.5, delta, ci95: { low, high }, pValue: 1, verdict, filesNeeded: null };
}

function run(id: string, deploymentId: string, status: ExecutionSummary["status"]): ExecutionSummary {
  const none = { name: id, description: "", fileCount: 1, deploymentName: "", createdAt: null, createdBy: "" };
  return { id, deploymentId, status, ...none };
}

describe("the comparison of runs", () => {
  it("is with the run before it, unless another one is chosen", () => {
    const runs = [
      run("newest", "model", "COMPLETED"),
      run("this", "model", "COMPLETED"),
      run("other", "another", "COMPLETED"),
      run("cancelled", "model", "CANCELLED"),
      run("running", "model", "RUNNING"),
      run("before", "model", "COMPLETED"),
    ];
    const { choices, preset } = findBaselines(runs, { id: "this", deploymentId: "model" });
    expect(choices.map(({ id }) => id)).toEqual(["newest", "cancelled", "before"]);
    expect(preset?.id).toBe("before");
    expect(findBaselines([], { id: "this", deploymentId: "model" })).toEqual({ choices: [], preset: undefined });
  });

  it("lists the metrics that both runs have", () => {
    const aggregated = { f1: figures(0.1), successRate: figures(0), precision: figures(null) } as unknown;
    const rows = metricRows({ aggregated: aggregated as Comparison["aggregated"] });
    expect(rows.map(({ metric }) => metric)).toEqual(["successRate", "f1"]);
    expect(metricRows({ aggregated: null })).toEqual([]);
  });

  it("finds the columns that differ", () => {
    const column = (successRate: number, f1: number | null): ColumnComparison =>
      ({ successRate: figures(successRate), f1: figures(f1) }) as unknown as ColumnComparison;
    expect([column(0, 0), column(0, null), column(-0.1, 0), column(0, 0.1)].map(isDifferent)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("draws all differences to the same scale", () => {
    expect(getScale([])).toBe(0.05);
    expect(getScale([figures(0.01, -0.02, 0.03), null])).toBe(0.05);
    expect(getScale([figures(-0.1, -0.32, 0.1)])).toBeCloseTo(0.35);
  });

  it("names what was changed in the configuration", () => {
    const difference = { table: "invoice", slug: "iban", fields: ["type"], before: null, after: null };
    expect(columnChanges({ parts: [], added: [], removed: [difference], changed: [difference] })).toEqual([
      { kind: "removed", column: "invoice.iban", fields: ["type"] },
      { kind: "changed", column: "invoice.iban", fields: ["type"] },
    ]);
    expect(columnChanges(null)).toEqual([]);
  });
});
