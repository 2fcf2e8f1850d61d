/** The beginning of a document that somebody has assigned to a route. */
export interface LabeledText {
  /** Unique among the labeled texts of a classifier. */
  readonly id: string;
  /** Null if the document belongs to none of the routes. */
  readonly routeId: string | null;
  /** The text of the document. Only its first {@link MAX_LEARNED_CHARACTERS} characters have an effect. */
  readonly text: string;
}

/** The longest part of a document that is learned from. The shortest is the one that is scored without learning. */
export const MAX_LEARNED_CHARACTERS = 8_000;
