import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import type { Choice } from "../fields/scoring.ts";
import { toCalibrated } from "./calibration.ts";
import type { RuledCandidate } from "./candidates.ts";
import { isLearnable } from "./candidates.ts";
import { chooseByValue, countAccepted, type LearnedColumn } from "./column.ts";
import type { Learned } from "./learn.ts";
import { hashText } from "../../../hashing.ts";
import { findChoices, findHeads, toFormExample, type Choices } from "./options.ts";
import { computeProbabilities, withMemory } from "./ranker.ts";
import { findKnown, writeText } from "./writing.ts";

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
    const choices = recognizeKnown(findChoices(field, context, heads), column);
    const chosen = column.prior === null ? byRules(choices) : byRank(choices, column, column.prior);
    if (chosen === undefined) return null;
    const { ruled, confidence } = chosen;
    const accepted = countAccepted(column, choices.options[choices.candidates.indexOf(ruled)]);
    return {
      candidate: ruled.candidate,
      confidence: toCalibrated(confidence, accepted, column.calibrations),
      text: field.column.type === ColumnType.TEXT ? writeText(toFormExample(ruled), column.writing) : undefined,
    };
  };
}

/** Gives candidates that are misreadings of accepted texts the values of these, so that they are known. */
function recognizeKnown(choices: Choices, { writing: { texts } }: LearnedColumn): Choices {
  if (texts.length === 0) return choices;
  const options = choices.options.map((option, index) => {
    const known = findKnown(choices.normals[index] ?? "", texts);
    return known === undefined ? option : { ...option, value: hashText(known.letters) };
  });
  return { ...choices, options };
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
  const { index, mass } = chooseByValue({ options }, computeProbabilities(ranked, weights, prior), memory);
  const ruled = candidates[index];
  return ruled && { ruled, confidence: mass };
}
