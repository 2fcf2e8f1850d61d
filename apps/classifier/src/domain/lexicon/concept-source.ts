/**
 * How a concept behaves towards others. `numeric`: such a document is full of numbers, prose about it is not one.
 * `generic`: a form that documents of other kinds take too (a contract, a letter); it never speaks against a route.
 * `message`: generic, and what unwanted mail looks like. `unwanted`: bulk advertising.
 */
export type ConceptNature = "numeric" | "generic" | "message" | "unwanted";

/** A kind of business document as it is written in the lexicon: comma-separated phrases in English, German and French. */
export interface ConceptSource {
  readonly id: string;
  readonly nature?: ConceptNature;
  /** What people call such a document. `*rechnung` also stands for compounds that end so ("Eingangsrechnung"). */
  readonly names: string;
  /** Words and pairs of words that stand in such a document. */
  readonly evidence: string;
}
