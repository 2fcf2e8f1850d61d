import type { Example } from "./example.ts";
import { PLACES } from "../../../hashing.ts";
import { isUsuallyRight, ownOutcomes, recall, type Memory } from "./memory.ts";

/** The candidates of a document with all their features, those of the memory included. */
export interface RankedExample {
  readonly features: readonly Uint32Array[];
  readonly priors: readonly number[];
  readonly right: readonly boolean[];
}

const RATE = 0.3;
const EPOCHS = 10;
/** How much weights are pulled towards 0. What only a few documents show, such as their first line, must not outweigh the rules. */
const DECAY = 0.01;
/** What a value that was usually right adds to the score of the rules. Scans are misread, so that what was learned about their lines fails. */
const KNOWN = 0.5;

/** Adds the features of the memory to an example. `isKnown` tells whether the memory was made of it: it is then described as if not. */
export function toRanked(example: Example, memory: Memory, isKnown: boolean): RankedExample {
  return { ...withMemory(example, memory, isKnown ? ownOutcomes(example) : undefined), right: example.right };
}

/** Returns the candidates of a document with the features of the memory. */
export function withMemory(
  document: Pick<Example, "options" | "heads">,
  memory: Memory,
  own?: ReturnType<typeof ownOutcomes>,
): Omit<RankedExample, "right"> {
  const recalled = recall(document, memory, own);
  return {
    features: document.options.map(({ features }, index) => {
      const more = recalled[index] as number[];
      const all = new Uint32Array(features.length + more.length);
      all.set(features);
      all.set(more, features.length);
      return all;
    }),
    priors: document.options.map(({ prior, value }) => (isUsuallyRight(memory, value, own) ? prior + KNOWN : prior)),
  };
}

/**
 * Learns weights by logistic regression over the candidates of each document (a soft-max over the list; several right candidates share the
 * gradient), with Adagrad and a pull of the weights towards 0. `prior` is the weight of the rules' scores, which is given and not learned. The
 * result depends only on the examples and their order.
 */
export function train(examples: readonly RankedExample[], prior: number): Float32Array {
  const weights = new Float32Array(PLACES);
  const squares = new Float32Array(PLACES);
  const usable = examples.filter(({ right }) => right.includes(true) && right.includes(false));
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (let position = 0; position < usable.length; position += 1) {
      // Every other epoch goes backwards, so that no document is always last.
      const example = usable[epoch % 2 === 0 ? position : usable.length - 1 - position] as RankedExample;
      const { features, right } = example;
      const probabilities = computeProbabilities(example, weights, prior);
      let mass = 1e-9;
      for (let index = 0; index < right.length; index += 1) if (right[index]) mass += probabilities[index] as number;
      for (let index = 0; index < right.length; index += 1) {
        const probability = probabilities[index] as number;
        const gradient = probability - (right[index] ? probability / mass : 0);
        if (Math.abs(gradient) < 1e-3) continue;
        const places = features[index] as Uint32Array;
        for (let at = 0; at < places.length; at += 1) {
          const place = places[at] as number;
          const square = (squares[place] as number) + gradient * gradient;
          squares[place] = square;
          const weight = weights[place] as number;
          weights[place] = weight - (RATE * (gradient + DECAY * weight)) / Math.sqrt(square + 1e-6);
        }
      }
    }
  }
  return weights;
}

/** Computes the probability of each candidate. Empty for none. */
export function computeProbabilities(
  { features, priors }: Pick<RankedExample, "features" | "priors">,
  weights: Float32Array,
  prior: number,
): number[] {
  const scores: number[] = [];
  for (let index = 0; index < features.length; index += 1) {
    const places = features[index] as Uint32Array;
    let score = prior * (priors[index] as number);
    for (let at = 0; at < places.length; at += 1) score += weights[places[at] as number] as number;
    scores.push(score);
  }
  const greatest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - greatest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
