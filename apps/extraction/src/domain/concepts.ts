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
  const [first, second] = primary ? [DOCUMENT_NAMES, LINE_NAMES] : [LINE_NAMES, DOCUMENT_NAMES];
  return columns.map((column) => {
    const labels = [column.name, ...column.synonyms, slugPhrase(column.slug)]
      .filter((label) => label.trim() !== "")
      .slice(0, 40);
    const phrases = labels.map((label, index) => ({ phrase: toPhrase(label), weight: index === 0 ? 1 : 0.9 }));
    phrases.push({ phrase: toPhrase(column.description.slice(0, 400)), weight: 0.25 });
    const own = bestConcept(column, phrases, first);
    const other = isCertain(own) ? undefined : bestConcept(column, phrases, second);
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

interface WeighedPhrase {
  readonly phrase: Phrase;
  readonly weight: number;
}

/** A name of a concept. Of names that are equally similar, the one with the lowest place is taken. */
interface Name {
  readonly concept: Concept;
  readonly phrase: Phrase;
  /** The index among the names of the concept. */
  readonly index: number;
  readonly place: number;
}

/** The names of concepts, parsed once, by their first word and by their words joined. Only these can be similar to a phrase. */
type Names = ReadonlyMap<string, readonly Name[]>;

const DOCUMENT_NAMES = indexNames(DOCUMENT_CONCEPTS);
const LINE_NAMES = indexNames(LINE_CONCEPTS);

function indexNames(concepts: readonly Concept[]): Names {
  const names = concepts.flatMap((concept) =>
    concept.names.map((name, index) => ({ concept, phrase: toPhrase(name), index })),
  );
  const found = new Map<string, Name[]>();
  for (const [place, name] of names.entries()) {
    const { words, joined } = name.phrase;
    for (const key of new Set([joined, ...words.slice(0, 1)]))
      if (key !== "") found.set(key, [...(found.get(key) ?? []), { ...name, place }]);
  }
  return found;
}

interface Found {
  readonly concept: Concept;
  readonly score: number;
  readonly place: number;
}

function bestConcept({ type }: Column, phrases: readonly WeighedPhrase[], names: Names): Found | undefined {
  let best: Found | undefined;
  for (const { phrase, weight } of phrases) {
    for (const key of new Set([phrase.joined, ...phrase.words])) {
      for (const { concept, phrase: wanted, index, place } of names.get(key) ?? []) {
        if (!isCompatible(type, concept.kind)) continue;
        const score = weight * computeSimilarity(phrase, wanted) - index * 1e-4;
        if (score < 0.24 || (best && (score < best.score || (score === best.score && place >= best.place)))) continue;
        best = { concept, score, place };
      }
    }
  }
  return best;
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
