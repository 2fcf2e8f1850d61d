import type { SparseVector } from "./features.ts";
import { invert } from "./postings.ts";

/** The strength of the regularization. Vectors have length 1, so it does not depend on the texts. */
const REGULARIZATION = 0.5;

/** Computes the products of all pairs of vectors, row by row. Only features that both texts of a pair have are multiplied. */
export function multiplyPairs(vectors: readonly SparseVector[], dimensions: number): Float64Array {
  const count = vectors.length;
  const products = new Float64Array(count * count);
  const { starts, texts, values } = invert(vectors, dimensions);
  vectors.forEach(({ indexes, values: own }, row) => {
    for (let place = 0; place < indexes.length; place++) {
      const value = own[place]!;
      const end = starts[indexes[place]! + 1]!;
      for (let position = starts[indexes[place]!]!; position < end; position++) {
        const column = texts[position]!;
        // The texts of a feature are in order, and the products are symmetric.
        if (column > row) break;
        products[row * count + column]! += value * values[position]!;
      }
    }
    for (let column = 0; column < row; column++) products[column * count + row] = products[row * count + column]!;
  });
  return products;
}

/** The number of sums that are computed at once. */
const lanes = 4;

/**
 * Adds to sums, one for each lane, the products of `length` numbers of a table, from `start` on, with as many of another table, from a start for
 * each lane on. At once, the sums take hardly more time than one. Each is as exact as on its own, because its products are added in order.
 */
function addProducts(
  sums: Float64Array,
  length: number,
  { table, start }: { readonly table: Float64Array; readonly start: number },
  { table: others, starts }: { readonly table: Float64Array; readonly starts: Int32Array },
): void {
  const [a, b, c, d] = [starts[0]!, starts[1]!, starts[2]!, starts[3]!];
  let [first, second, third, fourth] = [sums[0]!, sums[1]!, sums[2]!, sums[3]!];
  for (let k = 0; k < length; k++) {
    const value = table[start + k]!;
    first += value * others[a + k]!;
    second += value * others[b + k]!;
    third += value * others[c + k]!;
    fourth += value * others[d + k]!;
  }
  sums[0] = first;
  sums[1] = second;
  sums[2] = third;
  sums[3] = fourth;
}

/** Factorizes a symmetric positive definite matrix in place, into a lower triangle (Cholesky). */
function factorize(matrix: Float64Array, count: number): void {
  const sums = new Float64Array(lanes);
  const starts = new Int32Array(lanes);
  for (let row = 0; row < count; row++) {
    const start = row * count;
    for (let block = 0; block <= row; block += lanes) {
      const width = Math.min(lanes, row + 1 - block);
      for (let lane = 0; lane < width; lane++) {
        starts[lane] = (block + lane) * count;
        // The sums are negative, so that products are added.
        sums[lane] = -matrix[start + block + lane]!;
      }
      if (width === lanes) addProducts(sums, block, { table: matrix, start }, { table: matrix, starts });
      for (let lane = 0; lane < width; lane++) {
        const column = block + lane;
        let sum = sums[lane]!;
        for (let k = width === lanes ? block : 0; k < column; k++)
          sum += matrix[start + k]! * matrix[column * count + k]!;
        matrix[start + column] = row === column ? Math.sqrt(-sum) : -sum / matrix[column * count + column]!;
      }
    }
  }
}

/** Inverts a lower triangle. The result is a lower triangle as well, stored by columns, so that its columns are contiguous. */
function invertTriangle(lower: Float64Array, count: number): Float64Array {
  const inverse = new Float64Array(count * count);
  const sums = new Float64Array(lanes);
  const starts = new Int32Array(lanes);
  for (let block = 0; block < count; block += lanes) {
    const width = Math.min(lanes, count - block);
    const common = block + width;
    for (let lane = 0; lane < width; lane++) starts[lane] = (block + lane) * count + common;
    for (let row = block; row < count; row++) {
      for (let lane = 0; lane < width; lane++) {
        const column = block + lane;
        let sum = 0;
        for (let k = column; k < Math.min(row, common); k++)
          sum += lower[row * count + k]! * inverse[column * count + k]!;
        sums[lane] = sum;
      }
      // Only the last block is narrower, and has no rows below its own.
      if (row > common) {
        const ofRow = { table: lower, start: row * count + common };
        addProducts(sums, row - common, ofRow, { table: inverse, starts });
      }
      for (let lane = 0; lane < width && block + lane <= row; lane++) {
        const column = block + lane;
        inverse[column * count + row] = (row === column ? 1 : -sums[lane]!) / lower[row * count + row]!;
      }
    }
  }
  return inverse;
}

/** A regression from texts to classes: how much each text contributes to the score of each class. */
export interface Ridge {
  /** The coefficient of each text for each class: `coefficients[text * classes + class]`. */
  readonly coefficients: Float64Array;
  /** The score that each text would get for each class if it were left out of learning, at the same index. */
  readonly leftOut: Float64Array;
  /** The score that each text would get for each class if all texts of its own class were left out of learning, at the same index. */
  readonly unknown: Float64Array;
}

/**
 * Fits a ridge regression of one target per class: 1 for the texts of the class, less 1 / classes for all. All classes together have the
 * same weight, however many texts they have. `products` are the products of the vectors of the texts, `classes` their classes. What a
 * text would score if it were left out is exact, and needs no second regression: `y - coefficient / inverse[i][i]`.
 */
export function fitRidge(products: Float64Array, classes: readonly number[], classCount: number): Ridge {
  const count = classes.length;
  const sizes = new Float64Array(classCount);
  for (const each of classes) sizes[each]! += 1;
  const matrix = products.slice();
  classes.forEach((each, index) => {
    const balance = (sizes[each]! * classCount) / count;
    matrix[index * count + index]! += REGULARIZATION * Math.min(4, Math.max(0.25, balance));
  });
  factorize(matrix, count);
  const inverse = invertTriangle(matrix, count);
  const getTarget = (index: number, each: number): number => (classes[index] === each ? 1 : 0) - 1 / classCount;
  // M⁻¹ = L⁻ᵀ L⁻¹: first L⁻¹ y, then L⁻ᵀ of it.
  const half = new Float64Array(count * classCount);
  for (let column = 0; column < count; column++) {
    for (let row = column; row < count; row++) {
      const factor = inverse[column * count + row]!;
      for (let each = 0; each < classCount; each++) half[row * classCount + each]! += factor * getTarget(column, each);
    }
  }
  const coefficients = new Float64Array(count * classCount);
  const leftOut = new Float64Array(count * classCount);
  for (let index = 0; index < count; index++) {
    let diagonal = 0;
    for (let row = index; row < count; row++) {
      const factor = inverse[index * count + row]!;
      diagonal += factor * factor;
      for (let each = 0; each < classCount; each++) {
        coefficients[index * classCount + each]! += factor * half[row * classCount + each]!;
      }
    }
    for (let each = 0; each < classCount; each++) {
      const place = index * classCount + each;
      leftOut[place] = getTarget(index, each) - coefficients[place]! / diagonal;
    }
  }
  return { coefficients, leftOut, unknown: leaveClassesOut(inverse, coefficients, classes, classCount) };
}

/**
 * Computes what texts would score if all texts of their class were left out, which is exact as well: `y - S⁻¹ c`, where S is the part of the
 * inverse for these texts, and c their coefficients.
 */
function leaveClassesOut(
  triangle: Float64Array,
  coefficients: Float64Array,
  classes: readonly number[],
  classCount: number,
): Float64Array {
  const count = classes.length;
  const scores = new Float64Array(count * classCount);
  const sums = new Float64Array(lanes);
  const starts = new Int32Array(lanes);
  for (let own = 0; own < classCount; own++) {
    const texts = classes.flatMap((each, index) => (each === own ? [index] : []));
    const size = texts.length;
    const part = new Float64Array(size * size);
    for (let row = 0; row < size; row++) {
      const from = texts[row]!;
      const ofRow = { table: triangle, start: from * count + from };
      for (let block = 0; block <= row; block += lanes) {
        const width = Math.min(lanes, row + 1 - block);
        // Lanes beyond the row repeat its last text, and are not used.
        for (let lane = 0; lane < lanes; lane++) starts[lane] = texts[Math.min(row, block + lane)]! * count + from;
        addProducts(sums.fill(0), count - from, ofRow, { table: triangle, starts });
        for (let lane = 0; lane < width; lane++) part[row * size + block + lane] = sums[lane]!;
      }
    }
    factorize(part, size);
    for (let each = 0; each < classCount; each++) {
      const solution = texts.map((text) => coefficients[text * classCount + each]!);
      for (let row = 0; row < size; row++) {
        for (let k = 0; k < row; k++) solution[row]! -= part[row * size + k]! * solution[k]!;
        solution[row]! /= part[row * size + row]!;
      }
      for (let row = size - 1; row >= 0; row--) {
        for (let k = row + 1; k < size; k++) solution[row]! -= part[k * size + row]! * solution[k]!;
        solution[row]! /= part[row * size + row]!;
      }
      texts.forEach((text, row) => {
        scores[text * classCount + each] = (each === own ? 1 : 0) - 1 / classCount - solution[row]!;
      });
    }
  }
  return scores;
}
