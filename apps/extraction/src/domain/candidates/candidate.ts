import type { Span } from "../layout/span.ts";

/** Something in a document that could be a value. */
export interface Candidate {
  /** Where it stands; more than one span when it runs over several cells or lines. */
  readonly spans: readonly [Span, ...Span[]];
  /** The normalised value: numbers as numbers, days as "YYYY-MM-DD", all else as text. */
  readonly value: string | number;
  /** How well its form fits its kind, 0 to 1. */
  readonly shape: number;
}
