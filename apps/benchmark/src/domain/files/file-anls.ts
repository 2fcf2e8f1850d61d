import { bestAssignment } from "../tables/assignment.ts";
import { likeness } from "../cells/edit-distance.ts";
import { canBeBest } from "../tables/row-alignment.ts";
import type { PreparedRow } from "../tables/row-alignment.ts";
import type { ComparedTable } from "../tables/table-score.ts";

/** Sums of similarities are compared to this precision when rows are paired. */
const units = 2 ** 30;

/**
 * The ANLS* of a file, as `anlsStar` gives it for trees of its tables, in which every row names every scored column. Of a table that is
 * too large for it, the rows stay as they were paired for scoring, which gives a lower bound.
 */
export function fileAnls(tables: readonly ComparedTable[]): number {
  let sum = 0;
  let length = 0;
  for (const table of tables) {
    sum += getSimilarity(table);
    length += Math.max(table.expected.length, table.actual.length) * table.columns.length;
  }
  return length === 0 ? 1 : sum / length;
}

function getSimilarity({ columns, expected, actual, aligned }: ComparedTable): number {
  let paired = 0;
  for (const pair of aligned.pairs) if (pair.expected && pair.actual) paired += rowLikeness(pair.expected, pair.actual);
  const most = Math.min(expected.length, actual.length) * columns.length;
  if (aligned.alignment === "position" || paired === most || !canBeBest(columns, expected, actual)) return paired;
  const likenesses = expected.map((one) => actual.map((other) => rowLikeness(one, other)));
  const assigned = bestAssignment(likenesses.map((row) => row.map((like) => Math.round(like * units))));
  return assigned.reduce((sum, column, row) => sum + (likenesses[row]?.[column] ?? 0), 0);
}

function rowLikeness(expected: PreparedRow, actual: PreparedRow): number {
  let sum = 0;
  for (let index = 0; index < expected.cells.length; index += 1) {
    const one = expected.cells[index];
    const other = actual.cells[index];
    if (one && other) sum += one.strict === other.strict ? 1 : likeness(one.text, other.text);
    else if (!one && !other) sum += 1;
  }
  return sum;
}
