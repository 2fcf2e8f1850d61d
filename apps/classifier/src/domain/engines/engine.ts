import type { RouteScore } from "../scoring/scorer.ts";

/** A route that an engine may choose. */
export interface OfferedRoute {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The names of the columns that the target of the route extracts. */
  readonly columnNames: readonly string[];
}

/** A document that an engine is asked about. */
export interface AskedDocument {
  readonly text: string;
  readonly routes: readonly OfferedRoute[];
  /** Whether the terms that contributed to a score are wanted. */
  readonly explain: boolean;
}

/** What a language model has used for an opinion. The cost is null if it has no price. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
}

/** The opinion of an engine that scores every route. */
export interface ScoredOpinion {
  readonly kind: "scores";
  readonly scores: readonly RouteScore[];
  /** The version of the engine and of what it had learned: the same version gives the same text the same scores. */
  readonly version: string;
  /** The number of reviewed documents that it had learned from. */
  readonly learnedFrom: number;
}

/** The opinion of an engine that chooses one route, or none. Its confidence follows from how often such choices were right. */
export interface ChoiceOpinion {
  readonly kind: "choice";
  /** Null if the document belongs to none of the routes. */
  readonly routeId: string | null;
  /** The passages that the engine quoted and that are in the document. A choice without any does not count. */
  readonly quotes: readonly string[];
  /** What the engine gave as its reason. It is data: nothing follows from it. */
  readonly reason: string;
  /** The language model that gave the opinion. */
  readonly modelName: string;
  /** The version of the engine. Choices of different versions say nothing about each other. */
  readonly version: string;
  readonly usage: ModelUsage;
}

/** What an engine says about a document. */
export type Opinion = ScoredOpinion | ChoiceOpinion;

/**
 * Says which routes fit a document. Which engine is asked, time limits, retries, accounting and calibration lie outside of it. An engine
 * is a folder beside this file, and a line in `engines.ts`.
 */
export interface ClassificationEngine {
  /** Asks for an opinion. Rejects if there is none. */
  ask(document: AskedDocument): Promise<Opinion>;
}
