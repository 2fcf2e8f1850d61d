import { computeSimilarity } from "@switchyard/matching";
import { findBestAssignment } from "../tables/assignment.ts";
import { canAlignOptimally } from "../tables/row-alignment.ts";
import type { PreparedRow } from "../tables/row-alignment.ts";
import type { ComparedTable } from "../tables/table-score.ts";

/** The units per 1 in which similarities are compared when rows are paired. */
const units = 2 ** 30;

/**
 * Computes the ANLS* of a file. It equals `computeAnlsStar` of `testing/` for the trees of its tables, in which every row has all scored columns. Cells
 * that are not labeled are left out of both trees. If a table is too large, its rows stay paired as for scoring, and the result is a lower
 * bound.
 */
export function computeFileAnls(tables: readonly ComparedTable[]): number {
  let sum = 0;
  let length = 0;
  for (const table of tables) {
    sum += computeTableSimilarity(table);
    length += countLabeled(table) + Math.max(0, table.actual.length - table.expected.length) * table.columns.length;
  }
  return length === 0 ? 1 : sum / length;
}

/** Counts the labeled cells of the accepted rows. */
function countLabeled({ expected }: ComparedTable): number {
  return expected.reduce((sum, { cells }) => sum + cells.filter((cell) => cell !== undefined).length, 0);
}

function computeTableSimilarity(table: ComparedTable): number {
  const { columns, expected, actual, aligned } = table;
  let paired = 0;
  for (const pair of aligned.pairs)
    if (pair.expected && pair.actual) paired += computeRowSimilarity(pair.expected, pair.actual);
  const max = Math.min(countLabeled(table), actual.length * columns.length);
  if (aligned.alignment === "position" || paired === max || !canAlignOptimally(columns, expected, actual))
    return paired;
  const similarities = expected.map((one) => actual.map((other) => computeRowSimilarity(one, other)));
  const assigned = findBestAssignment(
    similarities.map((row) => row.map((similarity) => Math.round(similarity * units))),
  );
  return assigned.reduce((sum, column, row) => sum + (similarities[row]?.[column] ?? 0), 0);
}

function computeRowSimilarity(expected: PreparedRow, actual: PreparedRow): number {
  let sum = 0;
  for (let index = 0; index < expected.cells.length; index += 1) {
    const one = expected.cells[index];
    const other = actual.cells[index];
    if (one && other) sum += one.strict === other.strict ? 1 : computeSimilarity(one.text, other.text);
    else if (one === null && !other) sum += 1;
  }
  return sum;
}
