import type { ConceptNature, ConceptSource } from "../lexicon/concept-source.ts";
import { administrationConcepts } from "../lexicon/administration.ts";
import { legalConcepts } from "../lexicon/legal.ts";
import { peopleConcepts } from "../lexicon/people.ts";
import { tradeConcepts } from "../lexicon/trade.ts";
import { extractTerms, splitWords } from "./text-terms.ts";

/** A concept of the lexicon with its phrases as terms. */
export interface Concept {
  readonly id: string;
  readonly nature: ConceptNature | null;
  /** The words of each name. */
  readonly names: readonly (readonly string[])[];
  readonly compoundEndings: readonly string[];
  /** Distinct words and pairs of words. */
  readonly evidence: ReadonlySet<string>;
}

const parsePhrases = (list: string): string[] => list.split(",").map((phrase) => phrase.trim().replace(/\s+/g, " "));

/** Returns the pairs of words of a phrase, or its only word. */
function extractPhraseTerms(phrase: string): string[] {
  const terms = extractTerms(phrase);
  const pairs = terms.filter((term) => term.includes(" "));
  return pairs.length > 0 ? pairs : terms;
}

function compile({ id, nature, names, evidence }: ConceptSource): Concept {
  const phrases = parsePhrases(names);
  return {
    id,
    nature: nature ?? null,
    names: phrases.map((phrase) => splitWords(phrase)).filter((words) => words.length > 0),
    compoundEndings: phrases.flatMap((phrase) => (phrase.startsWith("*") ? splitWords(phrase.slice(1)) : [])),
    evidence: new Set(parsePhrases(evidence).flatMap(extractPhraseTerms)),
  };
}

/**
 * The lexicon: general knowledge about kinds of business documents, namely their names and their typical words. With it, the route
 * "Eingangsrechnung" matches an English invoice. It contains nothing about the documents of any customer.
 */
export const concepts: readonly Concept[] = [
  ...tradeConcepts,
  ...legalConcepts,
  ...peopleConcepts,
  ...administrationConcepts,
].map(compile);

/** A mention of a concept in a text: the positions of its words, end exclusive. */
interface Mention {
  readonly concept: Concept;
  readonly start: number;
  readonly end: number;
}

interface NamedConcept {
  readonly concept: Concept;
  readonly name: readonly string[];
}

const namesByFirstWord: ReadonlyMap<string, readonly NamedConcept[]> = concepts
  .flatMap((concept) => concept.names.map((name) => ({ concept, name })))
  .reduce((byWord, named) => {
    const first = named.name[0] ?? "";
    return byWord.set(first, [...(byWord.get(first) ?? []), named]);
  }, new Map<string, NamedConcept[]>());

function findMentions(words: readonly string[]): Mention[] {
  return words.flatMap((word, start) => [
    ...concepts
      .filter(({ compoundEndings }) => compoundEndings.some((ending) => word.endsWith(ending)))
      .map((concept) => ({ concept, start, end: start + 1 })),
    ...(namesByFirstWord.get(word) ?? [])
      .filter(({ name }) => name.every((part, offset) => words[start + offset] === part))
      .map(({ concept, name }) => ({ concept, start, end: start + name.length })),
  ]);
}

/**
 * Finds the concepts that the name or description of a route mentions, in the order of the lexicon. The longer name wins: in
 * "Non-disclosure agreement", the word "agreement" does not mention the concept of a contract.
 */
export function findConcepts(text: string): Concept[] {
  const mentions = findMentions(splitWords(text));
  const longest = mentions.filter(
    ({ start, end }) =>
      !mentions.some((other) => other.start <= start && other.end >= end && other.end - other.start > end - start),
  );
  return concepts.filter((concept) => longest.some((mention) => mention.concept === concept));
}
