import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Scalar, ValueTable } from "../domain/cells/cell-value.ts";
import { scoreFile } from "../domain/files/file-score.ts";
import type { FileScore } from "../domain/files/file-score.ts";
import type { ScoredColumn, ScoredConfiguration } from "../domain/tables/table-score.ts";

/** What a column of a test is besides its slug and type. */
export type ColumnTraits = Partial<
  Pick<ScoredColumn, "sharedId" | "isKey" | "excludedFromExtraction" | "tolerance" | "relativeTolerance" | "characters">
>;

/** A column: its slug, the name of its type, and what else it is. */
export type ColumnSketch = readonly [slug: string, type?: keyof typeof ColumnType, traits?: ColumnTraits];

/** A configuration of tables by slug, the first of which is the document's own. Ids are "table" and "table.column". */
export function createConfiguration(tables: Readonly<Record<string, readonly ColumnSketch[]>>): ScoredConfiguration {
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

/** Rows of values by table. */
export type Tables = Readonly<Record<string, readonly Readonly<Record<string, Scalar>>[]>>;

/** Tables as scoring takes them. */
export function createTables(tables: Tables): ValueTable[] {
  return Object.entries(tables).map(([slug, rows]) => ({ slug, rows: rows.map((values) => ({ values })) }));
}

/** The score of one file; null for a failed extraction. */
export function getScore(
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

/** The seed of property tests; PROPERTY_SEED repeats a run. */
export function propertySeed(): number {
  return Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);
}
