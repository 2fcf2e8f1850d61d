import type { Refutation } from "./calibration/refutation.ts";

/** How the learned and the cold score of a route are weighed: `learned · m + cold · ln(c + 0.02)` are compared by softmax. */
export interface Blend {
  readonly learned: number;
  readonly cold: number;
}

/** The logistic regression for whether a document is of any of the known kinds. */
export interface Novelty {
  readonly intercept: number;
  /** The weight of the cosine to the nearest route, relative to what is typical of its documents. */
  readonly cosine: number;
  /** The weight of the highest strength of the cold scores. */
  readonly strength: number;
  /** The weight of the learned score of the best route, relative to what is typical of documents of their own route. */
  readonly learned: number;
}

/**
 * What was learned from labeled texts: a value of bounded size that can be sent to another thread. It contains nothing of a text that
 * is not among them.
 */
export interface LearnedState {
  /** How much of a document is read. */
  readonly characters: number;
  /** The IDs of the routes with labeled texts, in order. */
  readonly routeIds: readonly string[];
  /** Whether some texts belong to no route. Their class then follows those of the routes. */
  readonly hasOutside: boolean;
  /** The logarithm of how rare such texts are beside those of a route, at most 0. */
  readonly outsidePrior: number;
  /** The names of the features, each followed by a line break. */
  readonly features: string;
  readonly rarities: Float32Array;
  readonly unseen: number;
  /** The weights of the regression: `weights[feature * classes + class]`. */
  readonly weights: Float32Array;
  /** The normalized centroids of the routes, and of the texts outside all routes if there are any: `centroids[feature * classes + class]`. */
  readonly centroids: Float32Array;
  /** The typical cosine of a document of each route to the centroid of the others. */
  readonly typicalCosines: Float32Array;
  /** The typical learned score of a document for its own route. */
  readonly typicalScore: number;
  /** How far the texts refute the cold scores of routes without labeled texts. */
  readonly refutation: Refutation;
  readonly blend: Blend;
  readonly novelty: Novelty;
  /** What the doubt about a route is divided by where it is far from the thresholds of the decision. */
  readonly doubtDivisor: number;
}
