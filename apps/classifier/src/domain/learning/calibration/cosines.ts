/**
 * Measures the cosine of each text to the centroid of the other texts of each class, from the products of their vectors:
 * `cosines[text * classes + class]`, 0 where there are no others.
 */
export function measureCosines(products: Float64Array, classes: readonly number[], classCount: number): Float64Array {
  const count = classes.length;
  const sums = new Float64Array(count * classCount);
  const squares = new Float64Array(classCount);
  for (let index = 0; index < count; index++) {
    const own = classes[index]!;
    for (let other = 0; other < count; other++) {
      const product = products[index * count + other]!;
      if (classes[other] === own) squares[own]! += product;
      if (other !== index) sums[index * classCount + classes[other]!]! += product;
    }
  }
  return sums.map((sum, cell) => {
    const index = Math.floor(cell / classCount);
    const each = cell % classCount;
    const own = classes[index] === each ? 2 * sum + products[index * count + index]! : 0;
    const square = squares[each]! - own;
    return square <= 1e-12 ? 0 : sum / Math.sqrt(square);
  });
}
