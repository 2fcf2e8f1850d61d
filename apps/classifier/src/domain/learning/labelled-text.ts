import { MAX_SCORED_CHARACTERS } from "../scoring/text-terms.ts";

/** The beginning of a document that somebody has assigned to a route. */
export interface LabelledText {
  /** Unique among the labelled texts of a classifier. */
  readonly id: string;
  /** Null if the document belongs to none of the routes. */
  readonly routeId: string | null;
  /** The text of the document. Only its first {@link MAX_LEARNED_CHARACTERS} characters have an effect. */
  readonly text: string;
}

/**
 * The parts of documents that can be learned from, the shorter of which is scored without learning. Which one tells more depends on the kinds
 * of documents.
 */
export const LEARNED_CHARACTERS = [MAX_SCORED_CHARACTERS, 8_000] as const;
/** The longest part of a document that is learned from. */
export const MAX_LEARNED_CHARACTERS = Math.max(...LEARNED_CHARACTERS);
