import { calibrate, type Calibration, type Outcome } from "./calibration.ts";
import type { Example } from "./example.ts";
import { learnForm, PRINTED, type Form } from "./form.ts";
import { getLetters } from "./normal-form.ts";
import { remember, type Memory } from "./memory.ts";
import { computeProbabilities, toRanked, train } from "./ranker.ts";

/** A text that was accepted, in the form in which it was accepted most often. */
export interface KnownText {
  readonly letters: string;
  readonly text: string;
  /** The number of files in which it was accepted. */
  readonly times: number;
}

/** What was learned about a column. */
export interface LearnedColumn {
  /** The weight of the rules' scores; null where the rules alone choose. */
  readonly prior: number | null;
  readonly weights: Float32Array;
  readonly memory: Memory;
  readonly form: Form;
  /** The accepted texts of words, the most frequent first. */
  readonly texts: readonly KnownText[];
  readonly calibration: Calibration;
}

/** The weight of the rules' scores, in the unit of the learned weights. */
const PRIOR = 6;
/** The most documents on which learning is compared with the rules, and on which confidences are calibrated. */
const MAX_COMPARED = 60;
const FOLDS = 5;
const MAX_TEXTS = 1_000;
/** The letters that a text must have to be known by heart. */
const MIN_LETTERS = 5;

/**
 * Learns a column from examples, which must be in an order that does not depend on how they were read. Whether the rules are better alone,
 * and how much they count, is decided on documents that were left out in turn. Undefined for fewer than two examples.
 */
export function learnColumn(examples: readonly Example[]): LearnedColumn | undefined {
  if (examples.length < 2) return undefined;
  const step = Math.ceil(examples.length / MAX_COMPARED);
  const compared = examples.filter((_, index) => index % step === 0);
  const cold = compared.map(({ ruleRight, ruleConfidence }): Outcome => ({
    confidence: ruleConfidence,
    right: ruleRight,
  }));
  const learned = leaveOut(compared, PRIOR);
  const gain = countRight(learned) - countRight(cold);
  // With few files, one more right value may be chance, but a wrong one is not worth it.
  const best =
    gain > 0 || (gain === 0 && examples.length >= 10)
      ? { prior: PRIOR, outcomes: learned }
      : { prior: null, outcomes: cold };
  const memory = remember(examples);
  const ranked = best.prior === null ? [] : examples.map((example) => toRanked(example, memory, true));
  return {
    prior: best.prior,
    weights: train(ranked, best.prior ?? 0),
    memory,
    form:
      learnForm(
        examples.flatMap(({ form, accepted }) => (form && accepted !== undefined ? [{ form, accepted }] : [])),
      ) ?? PRINTED,
    texts: toTexts(examples),
    calibration: calibrate(best.outcomes.filter(({ confidence }) => confidence > 0)),
  };
}

/** Ranks each example by what was learned from others: from all but a fifth, or from all others if there are few. */
function leaveOut(examples: readonly Example[], prior: number): Outcome[] {
  const folds = examples.length <= 10 ? examples.length : FOLDS;
  const outcomes: Outcome[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const taught = examples.filter((_, index) => index % folds !== fold);
    const memory = remember(taught);
    const weights = train(
      taught.map((example) => toRanked(example, memory, true)),
      prior,
    );
    for (const [index, example] of examples.entries()) {
      if (index % folds !== fold) continue;
      const ranked = toRanked(example, memory, false);
      const { index: chosen, mass } = chooseByValue(example, computeProbabilities(ranked, weights, prior));
      outcomes.push({ confidence: mass, right: example.right[chosen] === true });
    }
  }
  return outcomes;
}

/** Chooses the value with the greatest probability over its candidates, and of those the most probable one. */
export function chooseByValue(
  { options }: Pick<Example, "options">,
  probabilities: readonly number[],
): { index: number; mass: number } {
  const masses = new Map<number, number>();
  options.forEach(({ value }, index) => masses.set(value, (masses.get(value) ?? 0) + (probabilities[index] as number)));
  let best = -1;
  let most = -1;
  options.forEach(({ value }, index) => {
    const mass = masses.get(value) as number;
    if (
      mass > most + 1e-12 ||
      (Math.abs(mass - most) <= 1e-12 && (probabilities[index] as number) > (probabilities[best] as number))
    )
      [best, most] = [index, mass];
  });
  return { index: best, mass: Math.min(1, most) };
}

function countRight(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ right }) => right).length;
}

/** Returns for each accepted text of words, by its letters and digits, how it was written most often, the most frequent first. Bounded. */
function toTexts(examples: readonly Example[]): KnownText[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { accepted, form } of examples) {
    // Dates and amounts are not known by heart: their digits have one form in each document.
    if (accepted === undefined || accepted.length > 400 || (form && form.value !== "" && isNumeric(form.value)))
      continue;
    const letters = getLetters(accepted);
    if (letters.replace(/\p{N}/gu, "").length < MIN_LETTERS) continue;
    const texts = counts.get(letters) ?? new Map<string, number>();
    texts.set(accepted, (texts.get(accepted) ?? 0) + 1);
    counts.set(letters, texts);
  }
  const known = [...counts].map(([letters, texts]): KnownText => {
    const sorted = [...texts].sort(([one, often], [other, times]) => times - often || (one < other ? -1 : 1));
    return { letters, text: sorted[0]?.[0] ?? "", times: sorted.reduce((sum, [, times]) => sum + times, 0) };
  });
  known.sort((one, other) => other.times - one.times || (one.letters < other.letters ? -1 : 1));
  return known.slice(0, MAX_TEXTS);
}

function isNumeric(value: string | number): boolean {
  return typeof value === "number" || /^\d{4}-\d{2}-\d{2}$/u.test(value);
}
