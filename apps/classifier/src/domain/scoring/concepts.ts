import type { ConceptNature, ConceptSource } from "../lexicon/concept-source.ts";
import { administrationConcepts } from "../lexicon/administration.ts";
import { legalConcepts } from "../lexicon/legal.ts";
import { peopleConcepts } from "../lexicon/people.ts";
import { tradeConcepts } from "../lexicon/trade.ts";
import { extractTerms, splitWords } from "./text-terms.ts";

/** A concept in terms. */
export interface Concept {
  readonly id: string;
  readonly nature: ConceptNature | null;
  /** Each name as its words. */
  readonly names: readonly (readonly string[])[];
  readonly compoundEndings: readonly string[];
  /** Words and pairs of words, distinct. */
  readonly evidence: ReadonlySet<string>;
}

const parsePhrases = (list: string): string[] => list.split(",").map((phrase) => phrase.trim().replace(/\s+/g, " "));

/** The terms of a phrase: its pairs of words, or its only word. */
function phraseTerms(phrase: string): string[] {
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
    evidence: new Set(parsePhrases(evidence).flatMap(phraseTerms)),
  };
}

/**
 * What is generally known about kinds of business documents: how they are called and what stands in them. It lets the
 * route "Eingangsrechnung" find an English invoice. It says nothing about any customer's documents.
 */
export const concepts: readonly Concept[] = [
  ...tradeConcepts,
  ...legalConcepts,
  ...peopleConcepts,
  ...administrationConcepts,
].map(compile);

/** Where a concept is named in a text: word positions, end exclusive. */
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
 * The concepts that a route's name or description names, in the order of the lexicon. The longer name wins: in
 * "Non-disclosure agreement" the word "agreement" does not name the concept of a contract.
 */
export function findConcepts(text: string): Concept[] {
  const mentions = findMentions(splitWords(text));
  const standing = mentions.filter(
    ({ start, end }) =>
      !mentions.some((other) => other.start <= start && other.end >= end && other.end - other.start > end - start),
  );
  return concepts.filter((concept) => standing.some((mention) => mention.concept === concept));
}
