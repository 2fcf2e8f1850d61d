import { findConcepts, type Concept } from "./concepts.ts";
import { rarity } from "./term-weights.ts";
import { isPair, extractTerms, splitWords } from "./text-terms.ts";

/** The input of the scorer for a route. */
export interface RouteProfile {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The names of the columns that its model extracts. */
  readonly columnLabels: readonly string[];
  /** Short texts of documents of this route. */
  readonly examples: readonly string[];
  /** Routes of one group are one document type and do not compete. The ID of the model; by default, the route is a group of its own. */
  readonly group?: string | undefined;
}

/** The terms of a route. They do not depend on the other routes of a classifier. */
export interface RouteTerms {
  readonly id: string;
  readonly group: string;
  /** The terms of name, description and column labels. */
  readonly own: WeightedTerms;
  /** The evidence terms of the concepts that the route mentions. */
  readonly lexical: WeightedTerms;
  readonly nameWords: readonly string[];
  /** The concepts in the name of the route. */
  readonly named: readonly Concept[];
  /** The concepts in the name or the description of the route. */
  readonly mentioned: readonly Concept[];
  /** The centroid of the examples, of length 1. Empty without examples. */
  readonly centroid: WeightedTerms;
}

/** Distinct terms with their weights at the same index. */
export interface WeightedTerms {
  readonly terms: readonly string[];
  readonly weights: Float64Array;
}

const NAME_WEIGHT = 3;
const TEXT_WEIGHT = 1;
const PAIR_WEIGHT = 1.5;
const DESCRIBED_CONCEPT_WEIGHT = 0.4;
const MAX_EXAMPLES = 20;
const MAX_EXAMPLE_CHARACTERS = 2_000;
/** The limit for all examples of a route together. It is divided equally, so that 200 routes with 20 examples each stay cheap. */
const MAX_TOTAL_EXAMPLE_CHARACTERS = 8_000;

/** Returns the weight of a term by its shape. Pairs of words have more weight than single words. */
export function getShapeWeight(term: string): number {
  return isPair(term) ? PAIR_WEIGHT : 1;
}

function raiseWeights(weights: Map<string, number>, terms: Iterable<string>, weight: number): void {
  for (const term of terms) weights.set(term, Math.max(weights.get(term) ?? 0, weight * getShapeWeight(term)));
}

function toWeightedTerms(weights: ReadonlyMap<string, number>): WeightedTerms {
  return { terms: [...weights.keys()], weights: Float64Array.from(weights.values()) };
}

/** Scales a vector to length 1 in place. A zero vector does not change. */
function normalize(vector: WeightedTerms): WeightedTerms {
  let squares = 0;
  for (const weight of vector.weights) squares += weight * weight;
  const length = Math.sqrt(squares);
  if (length > 0) vector.weights.forEach((weight, index) => (vector.weights[index] = weight / length));
  return vector;
}

/** Computes the term vector of a text: `(1 + ln f) · rarity`, scaled to length 1. */
export function toTextVector(counts: ReadonlyMap<string, number>): WeightedTerms {
  const terms = [...counts.keys()];
  const weights = new Float64Array(terms.length);
  terms.forEach((term, index) => (weights[index] = (1 + Math.log(counts.get(term) ?? 1)) * rarity(term)));
  return normalize({ terms, weights });
}

/** Truncates the examples of a route to the part that is scored. The rest has no effect, so it need not be stored or sent. */
export function truncateExamples(examples: readonly string[]): string[] {
  const read = examples.slice(0, MAX_EXAMPLES);
  const share = Math.min(MAX_EXAMPLE_CHARACTERS, Math.floor(MAX_TOTAL_EXAMPLE_CHARACTERS / Math.max(1, read.length)));
  return read.map((example) => example.slice(0, share));
}

function computeCentroid(examples: readonly string[]): WeightedTerms {
  const sum = new Map<string, number>();
  for (const example of truncateExamples(examples)) {
    const counts = new Map<string, number>();
    for (const term of extractTerms(example)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const { terms, weights } = toTextVector(counts);
    terms.forEach((term, index) => sum.set(term, (sum.get(term) ?? 0) + (weights[index] ?? 0)));
  }
  return normalize(toWeightedTerms(sum));
}

/** Reads a route. The weight of a term is 3 in the name and 1 in description and column labels, times 1.5 for pairs; the highest wins. */
export function toRouteTerms(profile: RouteProfile): RouteTerms {
  const own = new Map<string, number>();
  raiseWeights(own, extractTerms(profile.name), NAME_WEIGHT);
  raiseWeights(own, extractTerms(profile.description), TEXT_WEIGHT);
  // "From" and "To" are stop words, but here they are labels of fields.
  for (const label of profile.columnLabels) {
    const terms = extractTerms(label);
    raiseWeights(own, terms.length > 0 ? terms : extractTerms(`${label}:`), TEXT_WEIGHT);
  }
  const named = findConcepts(profile.name);
  const described = findConcepts(profile.description).filter((concept) => !named.includes(concept));
  const lexical = new Map<string, number>();
  for (const { evidence } of named) raiseWeights(lexical, evidence, 1);
  for (const { evidence } of described) raiseWeights(lexical, evidence, DESCRIBED_CONCEPT_WEIGHT);
  return {
    id: profile.id,
    group: profile.group ?? profile.id,
    own: toWeightedTerms(own),
    lexical: toWeightedTerms(lexical),
    nameWords: splitWords(profile.name),
    named,
    mentioned: [...named, ...described],
    centroid: computeCentroid(profile.examples),
  };
}
