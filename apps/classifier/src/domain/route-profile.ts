import { conceptsOf, type Concept } from "./concepts.ts";
import { rarity } from "./term-weights.ts";
import { isPair, termsOf, wordsOf } from "./text-terms.ts";

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

/** A route in terms. */
export interface RouteTerms {
  readonly profile: RouteProfile;
  readonly group: string;
  /** Terms of name, description and column labels with their weights. */
  readonly own: ReadonlyMap<string, number>;
  /** Evidence terms of the concepts that the route names, with their weights. */
  readonly lexical: ReadonlyMap<string, number>;
  readonly nameWords: readonly string[];
  /** Concepts named in the route's name. */
  readonly named: readonly Concept[];
  /** Concepts named in the route's name or description. */
  readonly mentioned: readonly Concept[];
  /** The centroid of the examples, of length 1: term to weight. Empty without examples. */
  readonly centroid: ReadonlyMap<string, number>;
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

/** Scales a vector to length 1; a zero vector stays empty. */
function normalized(vector: ReadonlyMap<string, number>): Map<string, number> {
  let squares = 0;
  for (const weight of vector.values()) squares += weight * weight;
  const length = Math.sqrt(squares);
  return new Map(length > 0 ? [...vector].map(([term, weight]) => [term, weight / length]) : []);
}

/** The term vector of a text for comparing texts: `(1 + ln f) · rarity`, of length 1. */
export function textVector(counts: ReadonlyMap<string, number>): Map<string, number> {
  return normalized(new Map([...counts].map(([term, count]) => [term, (1 + Math.log(count)) * rarity(term)])));
}

function centroidOf(examples: readonly string[]): Map<string, number> {
  const sum = new Map<string, number>();
  const read = examples.slice(0, EXAMPLES);
  const share = Math.min(EXAMPLE_CHARACTERS, Math.floor(EXAMPLES_CHARACTERS / Math.max(1, read.length)));
  for (const example of read) {
    const counts = new Map<string, number>();
    for (const term of termsOf(example.slice(0, share))) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, weight] of textVector(counts)) sum.set(term, (sum.get(term) ?? 0) + weight);
  }
  return normalized(sum);
}

/** Reads a route: term weights name 3, description and column labels 1, pairs of words 1.5 times that, the highest wins. */
export function routeTerms(profile: RouteProfile): RouteTerms {
  const own = new Map<string, number>();
  raise(own, termsOf(profile.name), NAME_WEIGHT);
  raise(own, termsOf(profile.description), TEXT_WEIGHT);
  // "From" and "To" are stop words as they stand, but here they are labels of fields.
  for (const label of profile.columnLabels) {
    const terms = termsOf(label);
    raise(own, terms.length > 0 ? terms : termsOf(`${label}:`), TEXT_WEIGHT);
  }
  const named = conceptsOf(profile.name);
  const described = conceptsOf(profile.description).filter((concept) => !named.includes(concept));
  const lexical = new Map<string, number>();
  for (const { evidence } of named) raise(lexical, evidence, 1);
  for (const { evidence } of described) raise(lexical, evidence, DESCRIBED_CONCEPT_WEIGHT);
  return {
    profile,
    group: profile.group ?? profile.id,
    own,
    lexical,
    nameWords: wordsOf(profile.name),
    named,
    mentioned: [...named, ...described],
    centroid: centroidOf(profile.examples),
  };
}
