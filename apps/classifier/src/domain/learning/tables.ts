import type { LearnedState } from "./learned-state.ts";
import { invert } from "./postings.ts";
import type { TextVectors } from "./text-vectors.ts";

/** The maximum number of features, and of their weights, which limits the memory of what is learned to about 16 MB. */
const MAX_FEATURES = 40_000;
const MAX_CELLS = 2_000_000;

type Tables = Pick<LearnedState, "features" | "rarities" | "unseen" | "weights" | "centroids">;

/**
 * Creates the tables of weights, and of the centroids of the first `centroidCount` classes. Where there are too many features, those with
 * the least weight are left out. `names` are those of all features, by their numbers.
 */
export function buildTables(
  { features, rarities, unseen, vectors }: TextVectors,
  names: readonly string[],
  classes: readonly number[],
  coefficients: Float64Array,
  classCount: number,
  centroidCount: number,
): Tables {
  const { starts, texts, values } = invert(vectors, features.length);
  const row = new Float64Array(classCount);
  const fillRow = (feature: number): void => {
    row.fill(0);
    for (let position = starts[feature]!; position < starts[feature + 1]!; position++) {
      const start = texts[position]! * classCount;
      for (let each = 0; each < classCount; each++) row[each]! += coefficients[start + each]! * values[position]!;
    }
  };
  const importance = Float64Array.from(features, (_, feature) => {
    fillRow(feature);
    return row.reduce((sum, weight) => sum + weight * weight, 0);
  });
  const limit = Math.min(MAX_FEATURES, Math.floor(MAX_CELLS / classCount));
  const kept = Array.from(features.keys());
  if (kept.length > limit) {
    // Features are in the order of their first texts, which decides between features of the same importance.
    kept.sort((left, right) => importance[right]! - importance[left]! || left - right);
    kept.length = limit;
    kept.sort((left, right) => left - right);
  }
  const squares = new Float64Array(centroidCount);
  const addToCentroids = (feature: number, add: (route: number, value: number) => void): void => {
    for (let position = starts[feature]!; position < starts[feature + 1]!; position++) {
      const each = classes[texts[position]!]!;
      if (each < centroidCount) add(each, values[position]!);
    }
  };
  const sums = new Float64Array(centroidCount);
  for (let feature = 0; feature < features.length; feature++) {
    sums.fill(0);
    addToCentroids(feature, (route, value) => (sums[route]! += value));
    sums.forEach((sum, route) => (squares[route]! += sum * sum));
  }
  const weights = new Float32Array(kept.length * classCount);
  const centroids = new Float32Array(kept.length * centroidCount);
  kept.forEach((feature, place) => {
    fillRow(feature);
    weights.set(row, place * classCount);
    addToCentroids(
      feature,
      (route, value) => (centroids[place * centroidCount + route]! += value / Math.sqrt(squares[route]!)),
    );
  });
  return {
    features: kept.map((feature) => `${names[features[feature]!]!}\n`).join(""),
    rarities: Float32Array.from(kept, (feature) => rarities[feature]!),
    unseen,
    weights,
    centroids,
  };
}
