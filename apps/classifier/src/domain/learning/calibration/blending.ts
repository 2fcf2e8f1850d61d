import type { Blend } from "../learned-state.ts";

/** A score of 0 does not prove that a document is not of a kind. */
const COLD_FLOOR = 0.02;
/** The cold score that the class of texts outside all routes is considered to have. */
export const OUTSIDE_COLD_SCORE = 0.35;

/** The blend where no text can be left out, because each is the only one of its route. */
const DEFAULT_BLEND: Blend = { learned: 28, cold: 4 };
const LEARNED_WEIGHTS = [5, 7, 10, 14, 20, 28, 40];
/**
 * The weights of the cold scores relative to those of the learned ones, for {@link FEW_TEXTS} texts of a route. Lower ones look better for
 * the few texts that are left out than they are for other documents. With more texts, all are proportionally lower.
 */
const COLD_SHARES = [0.12, 0.17, 0.24];
const FEW_TEXTS = 5;

/**
 * Where the learned scores are sufficient, because they explain the left-out texts nearly as well on their own, the cold scores would add
 * more errors than they correct: they then have only the share `cold`. What is lost without them is measured with the share `nearlyNone`, as the
 * mean of the logarithmic likelihood of at least {@link MIN_COMPARED_TEXTS}.
 */
const SUFFICIENT = { cold: 0.03, nearlyNone: 0.02, maxLoss: 0.1 } as const;
/** The number of left-out texts that are needed to compare how well they are explained. */
export const MIN_COMPARED_TEXTS = 30;

/** The learned score of a route without labeled texts, as a share of the typical one, for cold scores of 0 and of 1. */
const UNTAUGHT = { least: 0.4, most: 1 } as const;

/**
 * Returns the learned score that a route without labeled texts has for a document, by its cold score and the typical learned score of a
 * document for its own route. The cold score is all that is known about it.
 */
export function getUntaughtScore(coldScore: number, typicalScore: number): number {
  return typicalScore * (UNTAUGHT.least + (UNTAUGHT.most - UNTAUGHT.least) * coldScore);
}

/** Returns the logit of a route. */
export function getLogit({ learned, cold }: Blend, learnedScore: number, coldScore: number): number {
  return learned * learnedScore + cold * Math.log(coldScore + COLD_FLOOR);
}

/**
 * Returns a cold score of which a share is refuted, from 0 to 1: in the logit, it loses this share of what it is ahead of a score of 0.
 */
export function refute(coldScore: number, share: number): number {
  return share === 0 ? coldScore : (coldScore + COLD_FLOOR) ** (1 - share) * COLD_FLOOR ** share - COLD_FLOOR;
}

/** The scores of a text for all classes, and its class. */
export interface BlendedText {
  readonly learned: ArrayLike<number>;
  readonly cold: ArrayLike<number>;
  readonly target: number;
}

function getLogLikelihood(blend: Blend, { learned, cold, target }: BlendedText): number {
  let highest = -Infinity;
  const logits = new Float64Array(learned.length);
  for (let each = 0; each < learned.length; each++) {
    logits[each] = getLogit(blend, learned[each]!, cold[each]!);
    highest = Math.max(highest, logits[each]!);
  }
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return logits[target]! - highest - Math.log(sum);
}

/**
 * Finds the blend with the highest likelihood of texts that were left out of learning, and with it the temperature. `textsOfRoute` is the
 * mean number of texts of a route. If `isComplete`, there are texts of every route.
 */
export function fitBlend(texts: readonly BlendedText[], textsOfRoute: number, isComplete: boolean): Blend {
  if (texts.length === 0) return DEFAULT_BLEND;
  const fitted = fitWithShares(texts, textsOfRoute, COLD_SHARES);
  if (!isComplete || texts.length < MIN_COMPARED_TEXTS) return fitted.blend;
  const loss = fitted.value / texts.length - getLearnedLikelihood(texts, textsOfRoute);
  return loss > SUFFICIENT.maxLoss ? fitted.blend : fitWithShares(texts, textsOfRoute, [SUFFICIENT.cold]).blend;
}

/** Returns how well the learned scores explain texts nearly on their own: the mean of the logarithm of the likelihood. */
export function getLearnedLikelihood(texts: readonly BlendedText[], textsOfRoute: number): number {
  return fitWithShares(texts, textsOfRoute, [SUFFICIENT.nearlyNone]).value / texts.length;
}

/** Returns the blend with the highest likelihood, whose cold scores have one of these shares, and the logarithm of the likelihood. */
function fitWithShares(
  texts: readonly BlendedText[],
  textsOfRoute: number,
  shares: readonly number[],
): { readonly blend: Blend; readonly value: number } {
  let best = DEFAULT_BLEND;
  let bestValue = -Infinity;
  for (const learned of LEARNED_WEIGHTS) {
    for (const share of shares) {
      const blend = { learned, cold: (learned * share * FEW_TEXTS) / Math.max(FEW_TEXTS, textsOfRoute) };
      const value = texts.reduce((sum, text) => sum + getLogLikelihood(blend, text), 0);
      if (value > bestValue + 1e-9) {
        best = blend;
        bestValue = value;
      }
    }
  }
  return { blend: best, value: bestValue };
}
