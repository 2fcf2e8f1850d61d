import { concepts, type Concept } from "./concepts.ts";
import { shapeWeight, type RouteTerms } from "./route-profile.ts";
import { rarity, saturation } from "./term-weights.ts";
import type { DocumentTerms } from "./text-terms.ts";

/** Evidence terms recur in a document of their kind: one occurrence says little, hence the slow saturation. */
export const LEXICON_SATURATION = 6;

/** How strongly a document speaks for each concept of the lexicon, from 0 up. */
export type ConceptStrengths = ReadonlyMap<Concept, number>;

/** Scores a document against every concept: the saturated sum over evidence terms, divided by the root of their weight. */
export function conceptStrengths(document: DocumentTerms): ConceptStrengths {
  return new Map(
    concepts.map((concept) => {
      let sum = 0;
      let total = 0;
      for (const term of concept.evidence) {
        const weight = shapeWeight(term);
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

/** Falls from 1 to `1 - drop` while the foreign share of the evidence grows from 0.4 to 0.75. */
function penalty(foreign: number, own: number, drop: number): number {
  const share = foreign > 0 ? foreign / (foreign + own) : 0;
  return 1 - drop * Math.min(1, Math.max(0, (share - 0.4) / 0.35));
}

/** How strongly a document speaks for concepts that no route names: for one of another kind, and for bulk advertising. */
export interface ForeignEvidence {
  readonly foreign: number;
  readonly unwanted: number;
}

/** The strongest of the concepts that are not `known` to any route. Generic kinds and messages speak against nothing. */
export function foreignEvidence(strengths: ConceptStrengths, known: ReadonlySet<Concept>): ForeignEvidence {
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
const UNWANTED_WEIGHT = 3;
const FULL_NUMBER_SHARE = 0.08;
const LEAST_NUMBER_FACTOR = 0.2;

/**
 * What speaks against a document being of a route's kind, as a factor in (0, 1] (1: nothing):
 * - it is of another kind: a concept which no route names has more evidence than the route's own (`ownText` for a route
 *   that names none), unless the document's title is the route's (`title`, 0 to 1);
 * - it is bulk advertising, and the route is for messages;
 * - the route is for documents full of numbers (invoices, receipts), and this is prose.
 */
export function plausibility(
  route: RouteTerms,
  document: DocumentTerms,
  strengths: ConceptStrengths,
  { foreign, unwanted }: ForeignEvidence,
  { ownText, title }: { readonly ownText: number; readonly title: number },
): number {
  const of = (concept: Concept): number => strengths.get(concept) ?? 0;
  const own = route.mentioned.length > 0 ? Math.max(...route.mentioned.map(of)) : ownText;
  let factor = 1 - (1 - penalty(foreign, own, FOREIGN_DROP)) * (1 - title);
  if (route.named.some(({ nature }) => nature === "message")) {
    factor *= penalty(UNWANTED_WEIGHT * unwanted, own, UNWANTED_DROP);
  }
  if (route.named.length > 0 && route.named.every(({ nature }) => nature === "numeric")) {
    factor *= Math.min(1, Math.max(LEAST_NUMBER_FACTOR, document.numberShare / FULL_NUMBER_SHARE));
  }
  return factor;
}
