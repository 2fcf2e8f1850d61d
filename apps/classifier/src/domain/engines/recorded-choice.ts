import type { ReviewedChoice } from "./calibration.ts";
import type { ChoiceOpinion } from "./engine.ts";

/** A route that a language model chose for a document, as a record keeps it until its review says whether the choice was right. */
export interface RecordedChoice {
  /** The name of the engine. */
  readonly engine: string;
  readonly modelName: string;
  readonly version: string;
  readonly routeId: string;
  /** Whether it quoted a passage that is in the document. */
  readonly quoted: boolean;
}

/** Returns the choice of an engine to be recorded; null if it chose none of the routes. */
export function toRecordedChoice(
  engine: string,
  { modelName, version, routeId, quotes }: ChoiceOpinion,
): RecordedChoice | null {
  return routeId === null ? null : { engine, modelName, version, routeId, quoted: quotes.length > 0 };
}

/** Returns what a review says about the choices of one version of an engine and its model. */
export function toReviewedChoices(
  choices: readonly RecordedChoice[],
  reviewed: string | null,
  { engine, modelName, version }: Pick<RecordedChoice, "engine" | "modelName" | "version">,
): ReviewedChoice[] {
  return choices
    .filter((each) => each.engine === engine && each.modelName === modelName && each.version === version)
    .map(({ routeId, quoted }) => ({ quoted, right: routeId === reviewed }));
}
