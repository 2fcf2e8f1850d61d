import type { ColumnMetrics, Configuration } from "@switchyard/client";

/** A column of a run's configuration with its metrics. */
export interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly name: string;
  readonly isExcluded: boolean;
  /** Undefined for a column that is not scored. */
  readonly metrics: ColumnMetrics | undefined;
}

/** Returns all columns of a configuration in its order, those that are excluded included. */
export function columnRows(configuration: Configuration | null, metrics: readonly ColumnMetrics[]): ColumnRow[] {
  const tables = new Map((configuration?.tables ?? []).map(({ id, slug }) => [id, slug]));
  const byId = new Map(metrics.map((each) => [each.columnId, each]));
  return (configuration?.columns ?? []).map(({ id, tableId, slug, name, excludedFromExtraction }) => ({
    table: tables.get(tableId) ?? "",
    column: slug,
    name,
    isExcluded: excludedFromExtraction,
    metrics: byId.get(id),
  }));
}
