import { isSameMatching } from "@switchyard/matching";
import type { ScoredColumn, ScoredConfiguration, ScoredTable } from "../tables/table-score.ts";
import { getScoredColumns } from "./outcome-grid.ts";

/** A column that both runs score: its places in the grids of its table. */
export interface SharedColumn {
  readonly baseline: number;
  readonly candidate: number;
  /** The column in the configuration of the candidate. */
  readonly column: ScoredColumn;
}

/** A table of both runs: the indexes of its grids, and the columns that both score. */
export interface SharedTable {
  readonly baseline: number;
  readonly candidate: number;
  /** The table in the configuration of the candidate. */
  readonly table: ScoredTable;
  readonly columns: readonly SharedColumn[];
}

/** What two configurations share. */
export interface SharedParts {
  readonly tables: readonly SharedTable[];
  /** Whether both score the same columns, and no others. */
  readonly complete: boolean;
}

/**
 * Pairs the tables and the scored columns of two configurations: the primary tables, others by their slug; columns by their shared ID if
 * both have one, else by their slug. Columns with different matchings are not paired, because a greater tolerance is not a better extraction.
 * The order is that of the candidate.
 */
export function pairColumns(baseline: ScoredConfiguration, candidate: ScoredConfiguration): SharedParts {
  const tables = candidate.tables.flatMap((table, index): SharedTable[] => {
    const other = baseline.tables.findIndex(({ slug, isPrimary }) =>
      table.isPrimary ? isPrimary : !isPrimary && slug === table.slug,
    );
    const paired = baseline.tables[other];
    if (paired === undefined) return [];
    const before = getScoredColumns(baseline, paired.id);
    const columns = getScoredColumns(candidate, table.id).flatMap((column, place): SharedColumn[] => {
      const match = findColumn(before, column);
      const other = before[match];
      return other && isSameMatching(other, column) ? [{ baseline: match, candidate: place, column }] : [];
    });
    return [{ baseline: other, candidate: index, table, columns }];
  });
  const shared = tables.reduce((sum, { columns }) => sum + columns.length, 0);
  return { tables, complete: shared === countColumns(baseline) && shared === countColumns(candidate) };
}

function findColumn(columns: readonly ScoredColumn[], { slug, sharedId }: ScoredColumn): number {
  const byMeaning = sharedId === undefined ? -1 : columns.findIndex((column) => column.sharedId === sharedId);
  if (byMeaning >= 0) return byMeaning;
  return columns.findIndex(
    (column) => column.slug === slug && (column.sharedId === undefined || sharedId === undefined),
  );
}

function countColumns(configuration: ScoredConfiguration): number {
  return configuration.tables.reduce((sum, { id }) => sum + getScoredColumns(configuration, id).length, 0);
}
