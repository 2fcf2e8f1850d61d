import { ComparisonSchema, Verdict } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Comparison as ComparisonMessage } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Comparison } from "../../domain/comparison/comparison.ts";
import type { ConfigurationChanges } from "../../domain/comparison/configuration-changes.ts";
import type { MetricComparison } from "../../domain/comparison/verdict.ts";
import { minIntervalFiles } from "../../domain/summary/metrics.ts";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import { toMessage } from "../results/metrics-message.ts";

/** Converts a comparison to its message. Figures that are null are unset. */
export function toComparisonMessage(
  baseline: ExecutionRecord,
  candidate: ExecutionRecord,
  changes: ConfigurationChanges,
  comparison: Comparison,
): ComparisonMessage {
  const { aggregated, byColumn, filesCompared } = comparison;
  return toMessage(ComparisonSchema, {
    ...comparison,
    baseline: baseline._id,
    candidate: candidate._id,
    filesNeeded: aggregated.successRate.filesNeeded,
    enoughFiles: filesCompared >= minIntervalFiles,
    aggregated: Object.fromEntries(Object.entries(aggregated).map(([metric, value]) => [metric, toMetric(value)])),
    byColumn: byColumn.map(({ column, table, successRate, f1 }) => ({
      columnId: column.id,
      table,
      slug: column.slug,
      sharedId: column.sharedId,
      successRate: toMetric(successRate),
      f1: toMetric(f1),
    })),
    configuration: changes,
    engines: { baseline: baseline.engine, candidate: candidate.engine },
  });
}

function toMetric(comparison: MetricComparison) {
  return { ...comparison, verdict: Verdict[comparison.verdict] };
}
