import { addSquare, normalize, weigh, type SparseVector } from "./features.ts";
import type { NumberedFeatures } from "./numbered-features.ts";

/** The vectors of texts that are learned from, of length 1, and the features that they have. */
export interface TextVectors {
  /** The number of each feature in the numbering of all texts. */
  readonly features: Int32Array;
  /** The inverse document frequency of each feature, at the same index. */
  readonly rarities: Float64Array;
  /** The inverse document frequency of a feature that was never seen. */
  readonly unseen: number;
  readonly vectors: readonly SparseVector[];
}

function getRarity(texts: number, holders: number): number {
  return Math.log(1 + (texts - holders + 0.5) / (holders + 0.5));
}

/**
 * Creates the vectors of texts that are learned from, given their classes and the number of all classes. Each class counts equally in how
 * rare a feature is, including those without texts: otherwise, the more texts of a class there are, the less their common terms would weigh.
 * Features are in the order in which they appear. Their numbers are less than `size`.
 */
export function toTextVectors(
  texts: readonly NumberedFeatures[],
  size: number,
  classes: readonly number[],
  classCount: number,
): TextVectors {
  const sizes = new Map<number, number>();
  for (const each of classes) sizes.set(each, (sizes.get(each) ?? 0) + 1);
  const typicalSize = texts.length / Math.max(1, sizes.size);
  const count = typicalSize * Math.max(classCount, sizes.size);
  const indexByNumber = new Int32Array(size).fill(-1);
  const features = new Int32Array(size);
  const holders = new Float64Array(size);
  let length = 0;
  const indexes = texts.map(({ numbers }, text) => {
    const share = typicalSize / sizes.get(classes[text]!)!;
    return numbers.map((number) => {
      let index = indexByNumber[number]!;
      if (index === -1) {
        index = length;
        indexByNumber[number] = index;
        features[index] = number;
        length += 1;
      }
      holders[index]! += share;
      return index;
    });
  });
  const rarities = holders.slice(0, length).map((holding) => getRarity(count, holding));
  const vectors = texts.map(({ frequencies }, text) => {
    const own = indexes[text]!;
    const values = new Float64Array(own.length);
    for (let place = 0; place < own.length; place++) {
      values[place] = weigh(frequencies[place]!) * rarities[own[place]!]!;
    }
    return { indexes: own, values: normalize(values, values.reduce(addSquare, 0)) };
  });
  return { features: features.slice(0, length), rarities, unseen: getRarity(count, 0), vectors };
}
