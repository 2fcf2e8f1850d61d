import type { Span } from "../layout/span.ts";

/** A part of a document that could be a value. */
export interface Candidate {
  /** Its location. It has more than one span if it extends over several cells or lines. */
  readonly spans: readonly [Span, ...Span[]];
  /** The normalized value: a number, a date as "YYYY-MM-DD", or a text. */
  readonly value: string | number;
  /** How well its form matches its kind, from 0 to 1. */
  readonly shape: number;
}
