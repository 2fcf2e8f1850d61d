import type { ColumnComparison, Comparison, ConfigurationChanges, MetricComparison } from "@switchyard/client";

/** The names of the metrics of a comparison, in the order in which they are shown. */
export const metricNames = ["successRate", "precision", "recall", "f1", "anls", "exactFileRate"] as const;

/** A metric of a comparison. */
export interface MetricRow {
  readonly metric: (typeof metricNames)[number];
  readonly figures: MetricComparison;
}

/** Returns the metrics of a comparison for which there are figures. */
export function metricRows({ aggregated }: Pick<Comparison, "aggregated">): MetricRow[] {
  return metricNames.flatMap((metric) => {
    const figures = aggregated?.[metric] ?? null;
    return figures === null || figures.delta === null ? [] : [{ metric, figures }];
  });
}

/** Whether a column came out differently in the two runs. */
export function isDifferent({ successRate, f1 }: ColumnComparison): boolean {
  return [successRate, f1].some((figures) => figures !== null && figures.delta !== null && figures.delta !== 0);
}

/** Returns the difference at the edges of the bars: the greatest end of an interval, rounded up, and at least five points. */
export function getScale(figures: readonly (MetricComparison | null)[]): number {
  const ends = figures.flatMap((each) => [each?.delta ?? 0, each?.ci95?.low ?? 0, each?.ci95?.high ?? 0]);
  return Math.max(0.05, Math.ceil(Math.max(...ends.map(Math.abs)) * 20) / 20);
}

/** A change of a column between the configurations of two runs. */
export interface ColumnChange {
  readonly kind: "added" | "removed" | "changed";
  readonly column: string;
  readonly fields: readonly string[];
}

/** Returns the changes of columns in one list. */
export function columnChanges(changes: ConfigurationChanges | null): ColumnChange[] {
  return (["added", "removed", "changed"] as const).flatMap((kind) =>
    (changes?.[kind] ?? []).map(({ table, slug, fields }) => ({ kind, column: `${table}.${slug}`, fields })),
  );
}
