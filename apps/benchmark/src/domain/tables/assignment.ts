/**
 * The pairing of rows with columns of a matrix that has the greatest sum of weights: for each row its column, or -1 when the columns are
 * fewer. Weights are finite; whole ones are summed exactly up to 2^53. Of equal pairings always the same one is chosen.
 * The Hungarian algorithm with potentials, O(rows² columns): Kuhn 1955, Munkres 1957; shortest augmenting paths as in Jonker and
 * Volgenant 1987.
 */
export function bestAssignment(weights: readonly (readonly number[])[]): number[] {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  if (rows > columns) {
    const turned = bestAssignment(
      Array.from({ length: columns }, (_, column) => weights.map((row) => row[column] ?? 0)),
    );
    const assigned = new Array<number>(rows).fill(-1);
    turned.forEach((row, column) => (assigned[row] = column));
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
      let least = Infinity;
      let next = -1;
      for (let other = 0; other < columns; other += 1) {
        if (visited[other]) continue;
        const reduced =
          -(weightsOfRow[other] as number) - (rowPotential[current] as number) - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          before[other] = column;
        }
        if ((slack[other] as number) < least) {
          least = slack[other] as number;
          next = other;
        }
      }
      for (let other = 0; other <= columns; other += 1) {
        if (visited[other]) {
          rowPotential[rowByColumn[other] as number] = (rowPotential[rowByColumn[other] as number] as number) + least;
          columnPotential[other] = (columnPotential[other] as number) - least;
        } else if (other < columns) slack[other] = (slack[other] as number) - least;
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
