import type { FurtherEngine } from "@switchyard/classifier/domain/engines/engines";

/** An engine that is certain of the route whose name a document shouts. */
export const shouting: FurtherEngine = {
  version: "shouting-1",
  async ask({ text, routes }) {
    const scores = routes.map(({ id, name }) => {
      const isShouted = text.includes(`${name.toUpperCase()}!`);
      return { routeId: id, score: isShouted ? 1 : 0, strength: 0, matchedTerms: 0, evidence: [] };
    });
    return { kind: "scores", scores, version: "shouting-1", learnedFrom: 0 };
  },
};
