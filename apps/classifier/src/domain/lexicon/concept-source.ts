/**
 * The nature of a concept. `numeric`: such documents contain many numbers, so prose is not one of them. `generic`: a form that documents
 * of other kinds can have (a contract, a letter), so it is never evidence against a route. `message`: generic, and the form of unwanted
 * mail. `unwanted`: bulk advertising.
 */
export type ConceptNature = "numeric" | "generic" | "message" | "unwanted";

/** An entry of the lexicon: a kind of business document, with comma-separated phrases in English, German and French. */
export interface ConceptSource {
  readonly id: string;
  readonly nature?: ConceptNature;
  /** The names of such documents. `*rechnung` also matches compounds with this ending ("Eingangsrechnung"). */
  readonly names: string;
  /** Words and pairs of words that such documents contain. */
  readonly evidence: string;
}
