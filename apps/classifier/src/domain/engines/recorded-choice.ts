import type { ChoiceOpinion } from "./engine.ts";

/** A route that a language model chose for a document, as a record keeps it until its review says whether the choice was right. */
export interface RecordedChoice {
  /** The name of the engine. */
  readonly engine: string;
  readonly modelName: string;
  readonly version: string;
  readonly routeId: string;
}

/** Returns the choice of an engine to be recorded; null if it chose none of the routes, or quoted nothing that is in the document. */
export function toRecordedChoice(
  engine: string,
  { modelName, version, routeId, quotes }: ChoiceOpinion,
): RecordedChoice | null {
  return routeId === null || quotes.length === 0 ? null : { engine, modelName, version, routeId };
}

/** Returns whether the choices of one version of an engine and its model were right, by what a review says. */
export function toReviewedChoices(
  choices: readonly RecordedChoice[],
  reviewed: string | null,
  { engine, modelName, version }: Pick<RecordedChoice, "engine" | "modelName" | "version">,
): boolean[] {
  return choices
    .filter((each) => each.engine === engine && each.modelName === modelName && each.version === version)
    .map(({ routeId }) => routeId === reviewed);
}
