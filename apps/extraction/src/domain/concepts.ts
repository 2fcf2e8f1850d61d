import { ColumnType, type Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { slugPhrase, tokenize } from "./fold.ts";
import type { Concept, Kind } from "./lexicon/concept.ts";
import { DOCUMENT_CONCEPTS, LINE_CONCEPTS } from "./lexicon/lexicon.ts";

/** What a column contains: a known concept, if its words name one, and the kind of its values. */
export interface Field {
  readonly column: Column;
  readonly concept: Concept | undefined;
  /** Whether its slug, name or a synonym names the concept, and not only its description or a part of its name. */
  readonly certain: boolean;
  readonly kind: Kind;
  /** The labels of the column, best first: its name, its synonyms, and the words of its slug. */
  readonly labels: readonly string[];
}

/**
 * The similarity from which a concept is certain: that of the name of a concept with one word before or after it, if it has two words at
 * least. What a description says is never so similar.
 */
const CERTAIN = 0.75;

const NUMERIC: readonly Kind[] = ["money", "number", "percent"];

/** Derives the fields of the columns of a table. `primary` is true for the table of the document itself. Never throws. */
export function toFields(columns: readonly Column[], primary: boolean): Field[] {
  const [first, second] = primary ? [DOCUMENT_CONCEPTS, LINE_CONCEPTS] : [LINE_CONCEPTS, DOCUMENT_CONCEPTS];
  return columns.map((column) => {
    const labels = [column.name, ...column.synonyms, slugPhrase(column.slug)]
      .filter((label) => label.trim() !== "")
      .slice(0, 40);
    const own = bestConcept(column, labels, first);
    const other = isCertain(own) ? undefined : bestConcept(column, labels, second);
    const best = isCertain(other) ? other : (own ?? other);
    const concept = best?.concept;
    return { column, concept, certain: isCertain(best), kind: getKind(column, concept), labels };
  });
}

function isCertain(found: { score: number } | undefined): boolean {
  return found !== undefined && found.score >= CERTAIN;
}

/** Returns the kind of a column's values: its type, refined by its concept. */
function getKind(column: Column, concept: Concept | undefined): Kind {
  switch (column.type) {
    case ColumnType.DATE:
      return "date";
    case ColumnType.NUMBER:
      return concept && NUMERIC.includes(concept.kind) ? concept.kind : "number";
    default:
      return concept?.kind ?? "text";
  }
}

/** The words of a phrase, and the same words joined, so that "Sub-Total" and "subtotal" are equal. */
interface Phrase {
  readonly words: readonly string[];
  readonly joined: string;
}

/** The names of all concepts, parsed once. */
const NAMES: ReadonlyMap<Concept, readonly Phrase[]> = new Map(
  [...DOCUMENT_CONCEPTS, ...LINE_CONCEPTS].map((concept) => [concept, concept.names.map(toPhrase)]),
);

function bestConcept(
  column: Column,
  labels: readonly string[],
  concepts: readonly Concept[],
): { concept: Concept; score: number } | undefined {
  let best: { concept: Concept; score: number } | undefined;
  const names = labels.map((label, index) => ({ phrase: toPhrase(label), weight: index === 0 ? 1 : 0.9 }));
  names.push({ phrase: toPhrase(column.description.slice(0, 400)), weight: 0.25 });
  for (const concept of concepts) {
    if (!isCompatible(column.type, concept.kind)) continue;
    for (const [index, wanted] of (NAMES.get(concept) ?? []).entries()) {
      for (const name of names) {
        const score = name.weight * computeSimilarity(name.phrase, wanted) - index * 1e-4;
        if (score > 0.2 && (!best || score > best.score)) best = { concept, score };
      }
    }
  }
  return best && best.score >= 0.24 ? best : undefined;
}

/** Returns 1 for the same words, less for a name that contains the phrase among other words, and 0 otherwise. */
function computeSimilarity({ words, joined }: Phrase, phrase: Phrase): number {
  const { length } = phrase.words;
  if (words.length === 0 || length === 0) return 0;
  if (joined === phrase.joined) return 1;
  for (let start = 0; start + length <= words.length; start += 1) {
    if (phrase.words.every((word, index) => words[start + index] === word)) {
      const coverage = length / words.length;
      // The head of a longer name is last in English compounds ("supplier invoice number") and first in German and French.
      const headBonus = start + length === words.length || start === 0 ? 0.1 : 0;
      return words.length > 12 ? Math.min(0.98, 0.9 + 0.04 * length) : 0.35 + 0.5 * coverage + headBonus;
    }
  }
  return 0;
}

function isCompatible(type: ColumnType, kind: Kind): boolean {
  switch (type) {
    case ColumnType.DATE:
      return kind === "date";
    case ColumnType.NUMBER:
      return NUMERIC.includes(kind) || kind === "identifier" || kind === "duration";
    case ColumnType.BOOLEAN:
      return false;
    default:
      return true;
  }
}

function toPhrase(text: string): Phrase {
  const words = tokenize(text).map((token) => token.text);
  return { words, joined: words.join("") };
}
