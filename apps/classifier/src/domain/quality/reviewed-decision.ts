/** A decision on a document, beside what a person said about it. */
export interface ReviewedDecision {
  /** The route that the document belongs to; null if it belongs to none. */
  readonly reviewed: string | null;
  /** The route that was decided; null for UNCLASSIFIED. */
  readonly decided: string | null;
  /** The best candidate with its score and its lead, whether it was decided or not; null if the document was not scored. */
  readonly best: { readonly routeId: string; readonly confidence: number; readonly margin: number } | null;
}

/** What routes a document by the confidence in its best candidate. */
export interface DecisionRule {
  readonly minMargin: number;
  /** The thresholds of routes that have their own. */
  readonly ownThresholds: ReadonlyMap<string, number>;
}
