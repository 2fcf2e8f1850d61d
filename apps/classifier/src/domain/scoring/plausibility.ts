import { concepts, type Concept } from "./concepts.ts";
import { getShapeWeight, type RouteTerms } from "./route-profile.ts";
import { rarity, saturation } from "./term-weights.ts";
import type { DocumentTerms } from "./text-terms.ts";

/** Saturation is slow for evidence terms: they recur in documents of their kind, and one occurrence means little. */
export const LEXICON_SATURATION = 6;

/** The strength of the evidence in a document for each concept of the lexicon, from 0. */
export type ConceptStrengths = ReadonlyMap<Concept, number>;

/** Computes the strength of each concept: the saturated sum over its evidence terms, divided by the root of their total weight. */
export function computeConceptStrengths(document: DocumentTerms): ConceptStrengths {
  return new Map(
    concepts.map((concept) => {
      let sum = 0;
      let total = 0;
      for (const term of concept.evidence) {
        const weight = getShapeWeight(term);
        total += weight;
        const frequency = document.counts.get(term);
        if (frequency !== undefined) {
          sum += weight * saturation(frequency, document, LEXICON_SATURATION) * rarity(term);
        }
      }
      return [concept, total > 0 ? sum / Math.sqrt(total) : 0];
    }),
  );
}

/** Decreases from 1 to `1 - drop` while the share of foreign evidence grows from 0.4 to 0.75. */
function penalty(foreign: number, own: number, drop: number): number {
  const share = foreign > 0 ? foreign / (foreign + own) : 0;
  return 1 - drop * Math.min(1, Math.max(0, (share - 0.4) / 0.35));
}

/** The strength of the evidence for concepts that no route mentions: for the strongest one, and for bulk advertising. */
export interface ForeignEvidence {
  readonly foreign: number;
  readonly unwanted: number;
}

/** Finds the strongest concepts that are not `known` to any route. Generic kinds and messages are never evidence against a route. */
export function findForeignEvidence(strengths: ConceptStrengths, known: ReadonlySet<Concept>): ForeignEvidence {
  let foreign = 0;
  let unwanted = 0;
  for (const [concept, strength] of strengths) {
    if (known.has(concept) || concept.nature === "generic" || concept.nature === "message") continue;
    foreign = Math.max(foreign, strength);
    if (concept.nature === "unwanted") unwanted = Math.max(unwanted, strength);
  }
  return { foreign, unwanted };
}

const FOREIGN_DROP = 0.65;
const UNWANTED_DROP = 0.9;
const UNWANTED_WEIGHT = 4.5;
const FULL_NUMBER_SHARE = 0.08;
const MIN_NUMBER_FACTOR = 0.2;

/**
 * Computes the plausibility that a document is of the kind of a route, as a factor in (0, 1]. It is less than 1 if
 * - the document is of another kind: a concept that no route mentions has more evidence than those of the route (`ownText` for a
 *   route that mentions none), unless the title of the document matches the route (`title`, 0 to 1);
 * - it is bulk advertising, and the route is for messages;
 * - it is prose, and the route is for documents with many numbers, such as invoices and receipts.
 */
export function computePlausibility(
  route: RouteTerms,
  document: DocumentTerms,
  strengths: ConceptStrengths,
  { foreign, unwanted }: ForeignEvidence,
  { ownText, title }: { readonly ownText: number; readonly title: number },
): number {
  const getStrength = (concept: Concept): number => strengths.get(concept) ?? 0;
  const own = route.mentioned.length > 0 ? Math.max(...route.mentioned.map(getStrength)) : ownText;
  let factor = 1 - (1 - penalty(foreign, own, FOREIGN_DROP)) * (1 - title);
  if (route.named.some(({ nature }) => nature === "message")) {
    factor *= penalty(UNWANTED_WEIGHT * unwanted, own, UNWANTED_DROP);
  }
  if (route.named.length > 0 && route.named.every(({ nature }) => nature === "numeric")) {
    factor *= Math.min(1, Math.max(MIN_NUMBER_FACTOR, document.numberShare / FULL_NUMBER_SHARE));
  }
  return factor;
}
