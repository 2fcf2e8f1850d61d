import { findLabeledCandidates } from "./association.ts";
import { addressShape } from "../../../candidates/addresses.ts";
import type { Candidate } from "../../../candidates/candidate.ts";
import { nameShape } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import type { LabelHit } from "../../../labels.ts";
import type { Kind } from "../../../lexicon/concept.ts";
import type { Scored } from "./scoring.ts";

/** The number of labels of one meaning that are considered: the first half and the last half of it. */
const MAX_HITS = 120;

/**
 * Finds the labels of a document with one of the keys, weighted by how well they match. If there are very many, only the first and the last
 * are returned.
 */
export function findHits(context: Context, keys: readonly string[]): { hit: LabelHit; weight: number }[] {
  const found: { hit: LabelHit; weight: number }[] = [];
  for (const row of context.hits) {
    for (const hit of row) {
      const weight = Math.max(0, ...keys.map((key) => hit.meanings.get(key) ?? 0));
      if (weight > 0) found.push({ hit, weight });
    }
  }
  return found.length > MAX_HITS ? [...found.slice(0, MAX_HITS / 2), ...found.slice(-MAX_HITS / 2)] : found;
}

/**
 * Finds the candidates of a kind to which labels point. The score is how well the label names the field, times the prominence of the label,
 * the proximity of the candidate, and the quality of its form (which counts 60 %). Candidates that `isOther` says belong to something other than
 * their label are left out.
 */
export function labeled(
  context: Context,
  keys: readonly string[],
  kind: Kind,
  isOther?: (hit: LabelHit, candidate: Candidate) => boolean,
): Scored[] {
  return findHits(context, keys).flatMap(({ hit, weight }) =>
    findLabeledCandidates(hit, kind, context).flatMap(({ candidate, proximity }) => {
      if (isOther?.(hit, candidate)) return [];
      const shape = getShape(kind, candidate.value, candidate.shape);
      return [{ candidate, score: weight * hit.prominence * proximity * (0.4 + 0.6 * shape) }];
    }),
  );
}

function getShape(kind: Kind, value: string | number, shape: number): number {
  if (typeof value === "number") return shape;
  switch (kind) {
    case "name":
      return nameShape(value);
    case "address":
      return addressShape(value);
    case "text":
      return value.length > 200 ? 0.3 : shape;
    default:
      return shape;
  }
}
