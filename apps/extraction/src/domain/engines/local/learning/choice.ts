import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import type { Choice } from "../fields/scoring.ts";
import { toCalibrated } from "./calibration.ts";
import type { RuledCandidate } from "./candidates.ts";
import { isLearnable } from "./candidates.ts";
import { chooseByValue, type LearnedColumn } from "./column.ts";
import { write } from "./form.ts";
import type { Learned } from "./learn.ts";
import { computeSimilarity, getLetters } from "./normal-form.ts";
import { findChoices, findHeads, toFormExample, type Choices } from "./options.ts";
import { computeProbabilities, withMemory } from "./ranker.ts";

/** A choice, with the text to write if it is not written as it is printed. */
export type WrittenChoice = Choice & { readonly text?: string | undefined };

/**
 * Returns the choice for a field with the text to write; null if the document probably has no value, and undefined if nothing was learned
 * about the field.
 */
export type LearnedChoice = (field: Field) => WrittenChoice | null | undefined;

/** Creates the choice by what was learned, for one document. Never throws. */
export function createLearnedChoice(learned: Learned, context: Context): LearnedChoice {
  const heads = findHeads(context);
  return (field) => {
    const column = learned.columns.get(field.column.slug);
    if (column === undefined || !isLearnable(field)) return undefined;
    const choices = findChoices(field, context, heads);
    const chosen = column.prior === null ? byRules(choices) : byRank(choices, column, column.prior);
    if (chosen === undefined) return null;
    const { ruled, confidence } = chosen;
    const text = field.column.type === ColumnType.TEXT ? writeText(ruled, column) : undefined;
    return { candidate: ruled.candidate, confidence: toCalibrated(confidence, column.calibration), text };
  };
}

function byRules({ candidates, rule }: Choices): { ruled: RuledCandidate; confidence: number } | undefined {
  const ruled = rule && candidates.find(({ candidate }) => candidate === rule.candidate);
  return rule && ruled && { ruled, confidence: rule.confidence };
}

function byRank(
  { candidates, options, heads }: Choices,
  { weights, memory }: LearnedColumn,
  prior: number,
): { ruled: RuledCandidate; confidence: number } | undefined {
  const ranked = withMemory({ options, heads }, memory);
  const { index, mass } = chooseByValue({ options }, computeProbabilities(ranked, weights, prior));
  const ruled = candidates[index];
  return ruled && { ruled, confidence: mass };
}

/** How similar a text must be to one that was accepted in several files to be a misreading of it. */
const MISREAD = 0.88;

/**
 * Writes a text as it was accepted before, or else in the form of the accepted texts. A text that differs from one that was accepted in two
 * files by a few letters, but in no digit, is taken for a misreading of it.
 */
function writeText(ruled: RuledCandidate, { texts, form }: LearnedColumn): string {
  const written = write(toFormExample(ruled), form);
  const letters = getLetters(written);
  const known = texts.find((each) => each.letters === letters);
  if (known) return known.text;
  if (letters.length < 8) return written;
  const digits = letters.replace(/\P{N}/gu, "");
  const similar = texts.find(
    (each) =>
      each.times > 1 &&
      each.letters.replace(/\P{N}/gu, "") === digits &&
      computeSimilarity(each.letters, letters, MISREAD) > 0,
  );
  return similar?.text ?? written;
}
