import { findConcepts, type Concept } from "./concepts.ts";
import { rarity } from "./term-weights.ts";
import { isPair, extractTerms, splitWords } from "./text-terms.ts";

/** What the scorer knows of a route. */
export interface RouteProfile {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Names of the columns that its model extracts. */
  readonly columnLabels: readonly string[];
  /** Short texts of documents that belong here. */
  readonly examples: readonly string[];
  /** Routes of one group lead to one type of document and do not compete; the model's id. Default: the route alone. */
  readonly group?: string | undefined;
}

/** A route in terms. Nothing of it depends on the other routes of a classifier. */
export interface RouteTerms {
  readonly id: string;
  readonly group: string;
  /** Terms of name, description and column labels with their weights. */
  readonly own: WeighedTerms;
  /** Evidence terms of the concepts that the route names, with their weights. */
  readonly lexical: WeighedTerms;
  readonly nameWords: readonly string[];
  /** Concepts named in the route's name. */
  readonly named: readonly Concept[];
  /** Concepts named in the route's name or description. */
  readonly mentioned: readonly Concept[];
  /** The centroid of the examples, of length 1. Empty without examples. */
  readonly centroid: WeighedTerms;
}

/** Distinct terms, and the weight of each at the same index. */
export interface WeighedTerms {
  readonly terms: readonly string[];
  readonly weights: Float64Array;
}

const NAME_WEIGHT = 3;
const TEXT_WEIGHT = 1;
const PAIR_WEIGHT = 1.5;
const DESCRIBED_CONCEPT_WEIGHT = 0.4;
const EXAMPLES = 20;
const EXAMPLE_CHARACTERS = 2_000;
/** So much is read of all examples of a route together, the same of each, so that 200 routes with 20 each stay cheap. */
const EXAMPLES_CHARACTERS = 8_000;

/** The weight of a term by its shape: pairs of words say more than words. */
export function shapeWeight(term: string): number {
  return isPair(term) ? PAIR_WEIGHT : 1;
}

function raise(weights: Map<string, number>, terms: Iterable<string>, weight: number): void {
  for (const term of terms) weights.set(term, Math.max(weights.get(term) ?? 0, weight * shapeWeight(term)));
}

function weighed(weights: ReadonlyMap<string, number>): WeighedTerms {
  return { terms: [...weights.keys()], weights: Float64Array.from(weights.values()) };
}

/** Scales a vector to length 1, in place; a zero vector stays as it is. */
function normalized(vector: WeighedTerms): WeighedTerms {
  let squares = 0;
  for (const weight of vector.weights) squares += weight * weight;
  const length = Math.sqrt(squares);
  if (length > 0) vector.weights.forEach((weight, index) => (vector.weights[index] = weight / length));
  return vector;
}

/** The term vector of a text for comparing texts: `(1 + ln f) · rarity`, of length 1. */
export function textVector(counts: ReadonlyMap<string, number>): WeighedTerms {
  const terms = [...counts.keys()];
  const weights = new Float64Array(terms.length);
  terms.forEach((term, index) => (weights[index] = (1 + Math.log(counts.get(term) ?? 1)) * rarity(term)));
  return normalized({ terms, weights });
}

/** The examples of a route as far as they are read. What is beyond changes nothing, so nobody needs to keep or send it. */
export function readExamples(examples: readonly string[]): string[] {
  const read = examples.slice(0, EXAMPLES);
  const share = Math.min(EXAMPLE_CHARACTERS, Math.floor(EXAMPLES_CHARACTERS / Math.max(1, read.length)));
  return read.map((example) => example.slice(0, share));
}

function computeCentroid(examples: readonly string[]): WeighedTerms {
  const sum = new Map<string, number>();
  for (const example of readExamples(examples)) {
    const counts = new Map<string, number>();
    for (const term of extractTerms(example)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const { terms, weights } = textVector(counts);
    terms.forEach((term, index) => sum.set(term, (sum.get(term) ?? 0) + (weights[index] ?? 0)));
  }
  return normalized(weighed(sum));
}

/** Reads a route: term weights name 3, description and column labels 1, pairs of words 1.5 times that, the highest wins. */
export function routeTerms(profile: RouteProfile): RouteTerms {
  const own = new Map<string, number>();
  raise(own, extractTerms(profile.name), NAME_WEIGHT);
  raise(own, extractTerms(profile.description), TEXT_WEIGHT);
  // "From" and "To" are stop words as they stand, but here they are labels of fields.
  for (const label of profile.columnLabels) {
    const terms = extractTerms(label);
    raise(own, terms.length > 0 ? terms : extractTerms(`${label}:`), TEXT_WEIGHT);
  }
  const named = findConcepts(profile.name);
  const described = findConcepts(profile.description).filter((concept) => !named.includes(concept));
  const lexical = new Map<string, number>();
  for (const { evidence } of named) raise(lexical, evidence, 1);
  for (const { evidence } of described) raise(lexical, evidence, DESCRIBED_CONCEPT_WEIGHT);
  return {
    id: profile.id,
    group: profile.group ?? profile.id,
    own: weighed(own),
    lexical: weighed(lexical),
    nameWords: splitWords(profile.name),
    named,
    mentioned: [...named, ...described],
    centroid: computeCentroid(profile.examples),
  };
}
