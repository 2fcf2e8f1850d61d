import type { ClassificationEngine, ScoredOpinion } from "../engine.ts";

/** The name of the engine that is always available. */
export const localEngine = "local";

/** Scores a text by the terms of the routes and by what was learned. */
export type LocalScorer = (text: string, explain: boolean) => Promise<Omit<ScoredOpinion, "kind">>;

/** Creates the engine that is always available: it scores every route, with a scorer that knows the routes already. */
export function createLocalEngine(score: LocalScorer): ClassificationEngine {
  return {
    async ask({ text, explain }) {
      return { kind: "scores", ...(await score(text, explain)) };
    },
  };
}
