import { calibrateByFamiliarity, type Calibration, type Outcome } from "./calibration.ts";
import type { Example, Option } from "./example.ts";
import { countRightValues, remember, type Memory } from "./memory.ts";
import { computeProbabilities, toRanked, train } from "./ranker.ts";
import { isWrittenAsAccepted, learnWriting, type Writing } from "./writing.ts";

/** What was learned about a column. */
export interface LearnedColumn {
  /** The weight of the rules' scores; null where the rules alone choose. */
  readonly prior: number | null;
  readonly weights: Float32Array;
  readonly memory: Memory;
  readonly writing: Writing;
  /** The calibrations of values by how often they were accepted: never, once, and more often. */
  readonly calibrations: readonly Calibration[];
}

/** An answer for an example that others have taught. */
interface Answer extends Outcome {
  /** Whether the answer is the place of the accepted value, however it would be written. */
  readonly isPlace: boolean;
}

/**
 * The minimum and the maximum weight of the rules' scores, in the unit of the learned weights, and the number of files up to which it is
 * the maximum.
 */
const PRIOR = { least: 5, most: 20, files: 30 } as const;
/** The maximum number of documents on which learning is compared with the rules, and on which confidences are calibrated. */
const MAX_COMPARED = 120;
const FOLDS = 5;
/** In this part of many accepted files, a missing value is rare. */
const RARE = 0.02;
const FILES_TO_KNOW_ABSENCE = 20;

/**
 * Learns a column from examples, which must be in an order that does not depend on how they were read. Whether the rules are better alone,
 * and how certain values are, is decided on documents that were left out in turn. Undefined for fewer than two examples.
 */
export function learnColumn(examples: readonly Example[]): LearnedColumn | undefined {
  if (examples.length < 2) return undefined;
  const step = Math.ceil(examples.length / MAX_COMPARED);
  const compared = examples.filter((_, index) => index % step === 0);
  const weight = weighRules(examples.length);
  const { ruled, ranked } = leaveOut(compared, weight);
  const gain = countRight(ranked) - countRight(ruled);
  // With few files, one more right value may be chance, but a wrong one is not worth it.
  const isBetter = gain > 0 || (gain === 0 && examples.length >= 10);
  const prior = isBetter ? weight : null;
  const memory = remember(examples);
  const taught = isBetter ? examples.map((example) => toRanked(example, memory, true)) : [];
  return {
    prior,
    weights: train(taught, prior ?? 0),
    memory,
    writing: learnWriting(examples),
    calibrations: calibrateByFamiliarity((isBetter ? ranked : ruled).filter(({ confidence }) => confidence > 0)),
  };
}

/** Returns the weight of the rules' scores. The fewer files teach, the more of what they seem to show is chance. */
function weighRules(files: number): number {
  return Math.max(PRIOR.least, Math.min(PRIOR.most, (PRIOR.most * PRIOR.files) / files));
}

/**
 * Answers each example by the rules, and by what was learned from others: from all but a fifth, or from all others if there are few. An answer
 * that there is no value has the confidence 0, because none is stated for it.
 */
function leaveOut(examples: readonly Example[], weight: number): { ruled: Answer[]; ranked: Answer[] } {
  const folds = examples.length <= 10 ? examples.length : FOLDS;
  const [ruled, ranked]: [Answer[], Answer[]] = [[], []];
  for (let fold = 0; fold < folds; fold += 1) {
    const taught = examples.filter((_, index) => index % folds !== fold);
    const memory = remember(taught);
    const writing = learnWriting(taught);
    const weights = train(
      taught.map((example) => toRanked(example, memory, true)),
      weight,
    );
    const answer = (example: Example, index: number, confidence: number): Answer => {
      const isPlace = example.right[index] === true;
      return {
        isPlace,
        right: isPlace && isWrittenAsAccepted(example, writing),
        confidence: index === example.options.length - 1 ? 0 : confidence,
        accepted: countAccepted({ memory, writing }, example.options[index]),
      };
    };
    for (const [index, example] of examples.entries()) {
      if (index % folds !== fold) continue;
      const rule = example.ruleConfidence > 0 ? example.options.findIndex(({ prior }) => prior === 1) : -1;
      ruled.push({ ...answer(example, rule, example.ruleConfidence), isPlace: example.ruleRight });
      const probabilities = computeProbabilities(toRanked(example, memory, false), weights, weight);
      const { index: chosen, mass } = chooseByValue(example, probabilities, memory);
      ranked.push(answer(example, chosen, mass));
    }
  }
  return { ruled, ranked };
}

/**
 * Returns in how many files the value of an option was accepted. Of columns without words it is 0: that an amount or a date was accepted in
 * another document makes it no more certain.
 */
export function countAccepted(
  { memory, writing }: Pick<LearnedColumn, "memory" | "writing">,
  option: Option | undefined,
): number {
  return option === undefined || writing.texts.length === 0 ? 0 : countRightValues(memory, option.value);
}

/**
 * Chooses the value with the greatest probability over its candidates, and of those the most probable one. That there is no value is not
 * chosen if hardly any accepted file says so: a document in which nothing resembles what was accepted was probably misread.
 */
export function chooseByValue(
  { options: all }: Pick<Example, "options">,
  probabilities: readonly number[],
  memory: Memory,
): { index: number; mass: number } {
  const isPossible = all.length === 1 || !all.some(({ prior }) => prior === 1) || !isAbsenceRare(memory, all.at(-1));
  const options = isPossible ? all : all.slice(0, -1);
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

/** Whether there are so many accepted files, and so few of them without a value, that a missing value is improbable. */
function isAbsenceRare(memory: Memory, none: Option | undefined): boolean {
  if (none === undefined || memory.files < FILES_TO_KNOW_ABSENCE) return false;
  return countRightValues(memory, none.value) < RARE * memory.files;
}

function countRight(answers: readonly Answer[]): number {
  return answers.filter(({ isPlace }) => isPlace).length;
}
