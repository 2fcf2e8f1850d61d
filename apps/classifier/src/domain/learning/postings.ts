import type { SparseVector } from "./features.ts";

/** The texts that have each feature, in order, with its value in each: those of feature i are at `starts[i]` to `starts[i + 1]`. */
export interface Postings {
  readonly starts: Int32Array;
  readonly texts: Int32Array;
  readonly values: Float64Array;
}

/** Returns the texts of each feature. */
export function invert(vectors: readonly SparseVector[], features: number): Postings {
  const starts = new Int32Array(features + 1);
  for (const { indexes } of vectors) for (const index of indexes) starts[index + 1]! += 1;
  for (let index = 0; index < features; index++) starts[index + 1]! += starts[index]!;
  const next = starts.slice();
  const texts = new Int32Array(starts[features]!);
  const values = new Float64Array(starts[features]!);
  vectors.forEach((vector, text) => {
    vector.indexes.forEach((index, place) => {
      const position = next[index]!;
      next[index] = position + 1;
      texts[position] = text;
      values[position] = vector.values[place]!;
    });
  });
  return { starts, texts, values };
}
