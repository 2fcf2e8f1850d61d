import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Scalar } from "@switchyard/matching";
import type { ValueTable } from "../domain/cells/cell-value.ts";
import { scoreFile } from "../domain/files/file-score.ts";
import type { FileScore } from "../domain/files/file-score.ts";
import type { ScoredColumn, ScoredConfiguration } from "../domain/tables/table-score.ts";

/** The optional properties of a column. */
export type ColumnOptions = Partial<
  Pick<ScoredColumn, "sharedId" | "isKey" | "excludedFromExtraction" | "matching" | "characters">
>;

/** A column: its slug, its type, and its optional properties. */
export type ColumnDefinition = readonly [slug: string, type?: keyof typeof ColumnType, traits?: ColumnOptions];

/** Creates a configuration from columns by table. The first table is the primary one. IDs are "table" and "table.column". */
export function createConfiguration(
  tables: Readonly<Record<string, readonly ColumnDefinition[]>>,
): ScoredConfiguration {
  return {
    tables: Object.keys(tables).map((slug, index) => ({ id: slug, slug, isPrimary: index === 0 })),
    columns: Object.entries(tables).flatMap(([tableId, columns]) =>
      columns.map(([slug, type = "TEXT", traits = {}]) => ({
        id: `${tableId}.${slug}`,
        tableId,
        slug,
        type: ColumnType[type],
        isKey: false,
        excludedFromExtraction: false,
        ...traits,
      })),
    ),
  };
}

/** The rows of values of each table. */
export type Tables = Readonly<Record<string, readonly Readonly<Record<string, Scalar>>[]>>;

/** Converts tables to the input of scoring. */
export function createTables(tables: Tables): ValueTable[] {
  return Object.entries(tables).map(([slug, rows]) => ({ slug, rows: rows.map((values) => ({ values })) }));
}

/** Labels all cells of a configuration: the primary table has a row, and columns that a row does not have are null. */
export function labelAll({ tables: all, columns }: ScoredConfiguration, tables: Tables): Tables {
  const labeled = all.map(({ id, slug, isPrimary }) => {
    const nulls = columns.filter(({ tableId }) => tableId === id).map((column) => [column.slug, null]);
    const rows = tables[slug] ?? [];
    return [
      slug,
      (rows.length === 0 && isPrimary ? [{}] : rows).map((row) => ({ ...Object.fromEntries(nulls), ...row })),
    ];
  });
  return { ...tables, ...Object.fromEntries(labeled) };
}

/** Scores a file whose cells are all labeled (see {@link labelAll}). `actual` is null for a failed extraction. */
export function scoreValues(
  configuration: ScoredConfiguration,
  expected: Tables,
  actual: Tables | null,
  fileId = "file",
  extractMs: number | null = null,
): FileScore {
  return scoreLabeled(configuration, labelAll(configuration, expected), actual, fileId, extractMs);
}

/** Scores a file of which only the given cells are labeled. `actual` is null for a failed extraction. */
export function scoreLabeled(
  configuration: ScoredConfiguration,
  expected: Tables,
  actual: Tables | null,
  fileId = "file",
  extractMs: number | null = null,
): FileScore {
  return scoreFile({
    fileId,
    configuration,
    expected: createTables(expected),
    actual: actual && createTables(actual),
    extractMs,
  });
}
