/**
 * Finds the assignment of rows to columns of a matrix with the maximum sum of weights. Returns the column of each row, or -1 if there are
 * fewer columns. Weights must be finite. Sums of integers are exact up to 2^53. The result is deterministic.
 * This is the Hungarian algorithm with potentials, O(rows² columns): Kuhn 1955, Munkres 1957; with shortest augmenting paths as in
 * Jonker and Volgenant 1987.
 */
export function findBestAssignment(weights: readonly (readonly number[])[]): number[] {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  if (rows > columns) {
    const transposed = findBestAssignment(
      Array.from({ length: columns }, (_, column) => weights.map((row) => row[column] ?? 0)),
    );
    const assigned = new Array<number>(rows).fill(-1);
    transposed.forEach((row, column) => (assigned[row] = column));
    return assigned;
  }
  const free = columns;
  const rowByColumn = new Int32Array(columns + 1).fill(-1);
  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(columns + 1);
  for (let row = 0; row < rows; row += 1) {
    rowByColumn[free] = row;
    const slack = new Float64Array(columns).fill(Infinity);
    const before = new Int32Array(columns).fill(-1);
    const visited = new Uint8Array(columns + 1);
    let column = free;
    while (rowByColumn[column] !== -1) {
      visited[column] = 1;
      const current = rowByColumn[column] as number;
      const weightsOfRow = weights[current] as readonly number[];
      let minSlack = Infinity;
      let next = -1;
      for (let other = 0; other < columns; other += 1) {
        if (visited[other]) continue;
        const reduced =
          -(weightsOfRow[other] as number) - (rowPotential[current] as number) - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          before[other] = column;
        }
        if ((slack[other] as number) < minSlack) {
          minSlack = slack[other] as number;
          next = other;
        }
      }
      for (let other = 0; other <= columns; other += 1) {
        if (visited[other]) {
          rowPotential[rowByColumn[other] as number] =
            (rowPotential[rowByColumn[other] as number] as number) + minSlack;
          columnPotential[other] = (columnPotential[other] as number) - minSlack;
        } else if (other < columns) slack[other] = (slack[other] as number) - minSlack;
      }
      column = next;
    }
    while (column !== free) {
      const previous = before[column] as number;
      rowByColumn[column] = rowByColumn[previous] as number;
      column = previous;
    }
  }
  const assigned = new Array<number>(rows).fill(-1);
  for (let column = 0; column < columns; column += 1)
    if (rowByColumn[column] !== -1) assigned[rowByColumn[column] as number] = column;
  return assigned;
}
